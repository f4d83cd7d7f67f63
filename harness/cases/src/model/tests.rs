use super::*;

#[test]
fn numbers_that_json_does_not_have_are_read_back() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX, 5e-324, 0.1] {
        let text = serde_json::to_string(&Literal::Float(number)).expect("a text");
        match serde_json::from_str(&text) {
            Ok(Literal::Float(read)) => {
                assert!(read.to_bits() == number.to_bits() || read.is_nan() && number.is_nan(), "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(
        serde_json::from_str::<Literal>(r#"{"float":7.5}"#).expect("what older traces have"),
        Literal::Float(7.5)
    );
}
