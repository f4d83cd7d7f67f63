/** Waits until its input ends. */
public class Waiting {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.out.flush();
        while (System.in.read() >= 0) {
            // Goes on waiting.
        }
    }
}
