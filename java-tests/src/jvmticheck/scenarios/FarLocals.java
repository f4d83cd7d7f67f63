package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A method with variables of type long in its slots 1 to 260, and with one in slot 261 that refers to an object of its own. */
public final class FarLocals implements Scenario {
    private static volatile long sum;

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Kept.class);
        hold(1);
        Probe.checkpoint("after");
    }

    private static void hold(int seed) {
        long a0 = seed + 0;
        long a1 = seed + 1;
        long a2 = seed + 2;
        long a3 = seed + 3;
        long a4 = seed + 4;
        long a5 = seed + 5;
        long a6 = seed + 6;
        long a7 = seed + 7;
        long a8 = seed + 8;
        long a9 = seed + 9;
        long a10 = seed + 10;
        long a11 = seed + 11;
        long a12 = seed + 12;
        long a13 = seed + 13;
        long a14 = seed + 14;
        long a15 = seed + 15;
        long a16 = seed + 16;
        long a17 = seed + 17;
        long a18 = seed + 18;
        long a19 = seed + 19;
        long a20 = seed + 20;
        long a21 = seed + 21;
        long a22 = seed + 22;
        long a23 = seed + 23;
        long a24 = seed + 24;
        long a25 = seed + 25;
        long a26 = seed + 26;
        long a27 = seed + 27;
        long a28 = seed + 28;
        long a29 = seed + 29;
        long a30 = seed + 30;
        long a31 = seed + 31;
        long a32 = seed + 32;
        long a33 = seed + 33;
        long a34 = seed + 34;
        long a35 = seed + 35;
        long a36 = seed + 36;
        long a37 = seed + 37;
        long a38 = seed + 38;
        long a39 = seed + 39;
        long a40 = seed + 40;
        long a41 = seed + 41;
        long a42 = seed + 42;
        long a43 = seed + 43;
        long a44 = seed + 44;
        long a45 = seed + 45;
        long a46 = seed + 46;
        long a47 = seed + 47;
        long a48 = seed + 48;
        long a49 = seed + 49;
        long a50 = seed + 50;
        long a51 = seed + 51;
        long a52 = seed + 52;
        long a53 = seed + 53;
        long a54 = seed + 54;
        long a55 = seed + 55;
        long a56 = seed + 56;
        long a57 = seed + 57;
        long a58 = seed + 58;
        long a59 = seed + 59;
        long a60 = seed + 60;
        long a61 = seed + 61;
        long a62 = seed + 62;
        long a63 = seed + 63;
        long a64 = seed + 64;
        long a65 = seed + 65;
        long a66 = seed + 66;
        long a67 = seed + 67;
        long a68 = seed + 68;
        long a69 = seed + 69;
        long a70 = seed + 70;
        long a71 = seed + 71;
        long a72 = seed + 72;
        long a73 = seed + 73;
        long a74 = seed + 74;
        long a75 = seed + 75;
        long a76 = seed + 76;
        long a77 = seed + 77;
        long a78 = seed + 78;
        long a79 = seed + 79;
        long a80 = seed + 80;
        long a81 = seed + 81;
        long a82 = seed + 82;
        long a83 = seed + 83;
        long a84 = seed + 84;
        long a85 = seed + 85;
        long a86 = seed + 86;
        long a87 = seed + 87;
        long a88 = seed + 88;
        long a89 = seed + 89;
        long a90 = seed + 90;
        long a91 = seed + 91;
        long a92 = seed + 92;
        long a93 = seed + 93;
        long a94 = seed + 94;
        long a95 = seed + 95;
        long a96 = seed + 96;
        long a97 = seed + 97;
        long a98 = seed + 98;
        long a99 = seed + 99;
        long a100 = seed + 100;
        long a101 = seed + 101;
        long a102 = seed + 102;
        long a103 = seed + 103;
        long a104 = seed + 104;
        long a105 = seed + 105;
        long a106 = seed + 106;
        long a107 = seed + 107;
        long a108 = seed + 108;
        long a109 = seed + 109;
        long a110 = seed + 110;
        long a111 = seed + 111;
        long a112 = seed + 112;
        long a113 = seed + 113;
        long a114 = seed + 114;
        long a115 = seed + 115;
        long a116 = seed + 116;
        long a117 = seed + 117;
        long a118 = seed + 118;
        long a119 = seed + 119;
        long a120 = seed + 120;
        long a121 = seed + 121;
        long a122 = seed + 122;
        long a123 = seed + 123;
        long a124 = seed + 124;
        long a125 = seed + 125;
        long a126 = seed + 126;
        long a127 = seed + 127;
        long a128 = seed + 128;
        long a129 = seed + 129;
        Kept kept = new Kept();
        Probe.checkpoint("held");
        kept.number++;
        sum = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 +
                a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 +
                a38 + a39 + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51 + a52 + a53 + a54 + a55 +
                a56 + a57 + a58 + a59 + a60 + a61 + a62 + a63 + a64 + a65 + a66 + a67 + a68 + a69 + a70 + a71 + a72 + a73 +
                a74 + a75 + a76 + a77 + a78 + a79 + a80 + a81 + a82 + a83 + a84 + a85 + a86 + a87 + a88 + a89 + a90 + a91 +
                a92 + a93 + a94 + a95 + a96 + a97 + a98 + a99 + a100 + a101 + a102 + a103 + a104 + a105 + a106 + a107 + a108 +
                a109 + a110 + a111 + a112 + a113 + a114 + a115 + a116 + a117 + a118 + a119 + a120 + a121 + a122 + a123 + a124
                + a125 + a126 + a127 + a128 + a129 + kept.number;
    }

    /** Only the variable refers to its object. */
    private static final class Kept {
        private int number;
    }
}
