use super::*;

#[test]
fn shards_are_read_as_they_are_written() {
    assert_eq!("2/8".parse(), Ok(Shard { index: 2, count: 8 }));
    assert_eq!(Shard { index: 8, count: 8 }.to_string().parse(), Ok(Shard { index: 8, count: 8 }));
    for wrong in ["", "2", "0/8", "9/8", "0/0", "a/b", "1/2/3", "-1/2"] {
        assert_eq!(wrong.parse::<Shard>(), Err(NoShard), "{wrong}");
    }
}

#[test]
fn a_verdict_that_blames_a_jvm_lacked_memory_if_a_function_says_so() {
    let observed = |status, observed: &str| {
        let finding = Finding { observed: observed.to_owned(), ..Finding::default() };
        Verdict { status, findings: vec![Finding::default(), finding], ..Verdict::default() }.lacked_memory()
    };
    assert!(observed(Status::Fail, "OUT_OF_MEMORY (110)"));
    assert!(!observed(Status::Fail, "INTERNAL (113), not OUT_OF_MEMORY"));
    assert!(!observed(Status::Known, "OUT_OF_MEMORY (110)"));
}
