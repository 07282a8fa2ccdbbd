use super::*;

fn contract(side_effects: SideEffects) -> ToolContract {
    ToolContract::new("a:b", "d")
        .with_side_effects(side_effects)
        .with_determinism(Determinism::Deterministic)
}

fn rule(ids: &[&str], decide: Answer) -> PolicyRule {
    let ids = ids.iter().map(|text| IdPattern::new((*text).to_owned()));
    PolicyRule {
        ids: Some(ids.collect()),
        decide,
        ..PolicyRule::default()
    }
}

#[test]
fn a_star_stands_for_any_run_of_characters() {
    let cases = [
        ("a:b", "a:b", true),
        ("a:b", "a:bc", false),
        ("*", "", true),
        ("*", "a:b", true),
        ("a:*", "a:b:c", true),
        ("a:*", "b:a:", false),
        ("*:b", "a:b", true),
        ("*:b", "a:bb", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "acb", false),
        ("ab*ba", "aba", false),
        ("ab*ba", "abba", true),
        ("*a*", "bab", true),
        ("**", "x", true),
        ("a:**:z", "a::z", true),
        ("é*", "éa", true),
    ];
    for (pattern, id, expected) in cases {
        let fits = IdPattern::new(pattern.to_owned()).fits(id);
        assert_eq!(fits, expected, "{pattern} {id}");
    }
}

#[test]
fn the_first_rule_that_fits_decides_and_none_allows() {
    let mut policy = Policy::default();
    assert_eq!(policy.decide("a:b", None), Decision::default());
    let file = PathBuf::from("/user");
    policy.add(
        file.clone(),
        vec![
            rule(&["a:b"], Answer::Allow),
            rule(&["a:*"], Answer::Ask),
            rule(&["*"], Answer::Deny),
        ],
    );
    for (id, answer, number) in [
        ("a:b", Answer::Allow, 1),
        ("a:c", Answer::Ask, 2),
        ("b:c", Answer::Deny, 3),
    ] {
        let rule = Some((file.clone(), number));
        assert_eq!(policy.decide(id, None), Decision { answer, rule }, "{id}");
    }
}

#[test]
fn what_a_contract_declares_is_matched_and_no_contract_promises_nothing() {
    let mut policy = Policy::default();
    let effects = PolicyRule {
        side_effects: Some(vec![SideEffects::Destructive, SideEffects::MutatesExternal]),
        decide: Answer::Ask,
        ..PolicyRule::default()
    };
    let unverified = PolicyRule {
        determinism: Some(vec![Determinism::Deterministic]),
        verification: Some(vec![None, Some(VerificationTier::AutoExtracted)]),
        decide: Answer::Deny,
        ..PolicyRule::default()
    };
    policy.add(PathBuf::from("/user"), vec![effects, unverified]);
    let answer = |contract: Option<&ToolContract>| policy.decide("a:b", contract).answer;
    assert_eq!(answer(None), Answer::Ask);
    assert_eq!(
        answer(Some(&contract(SideEffects::Destructive))),
        Answer::Ask
    );
    assert_eq!(answer(Some(&contract(SideEffects::ReadOnly))), Answer::Deny);
    let curated =
        contract(SideEffects::ReadOnly).with_verification(lonis_schema::Verification::Curated);
    assert_eq!(answer(Some(&curated)), Answer::Allow);
}

#[test]
fn the_strictest_file_counts_whatever_their_order() {
    let (user, project) = (PathBuf::from("/user"), PathBuf::from("/project"));
    for (users, projects, expected) in [
        (Answer::Deny, Answer::Allow, Answer::Deny),
        (Answer::Ask, Answer::Allow, Answer::Ask),
        (Answer::Allow, Answer::Deny, Answer::Deny),
    ] {
        for swapped in [false, true] {
            let mut files = vec![
                (user.clone(), vec![rule(&["*"], users)]),
                (project.clone(), vec![rule(&["*"], projects)]),
            ];
            if swapped {
                files.reverse();
            }
            let mut policy = Policy::default();
            for (file, rules) in files {
                policy.add(file, rules);
            }
            assert_eq!(policy.decide("a:b", None).answer, expected);
        }
    }
}

#[test]
fn a_decision_lets_through_or_names_its_rule() {
    let decision = |answer| Decision {
        answer,
        rule: Some((PathBuf::from("/user"), 2)),
    };
    for (answer, is_confirmed, kind) in [
        (Answer::Allow, false, None),
        (Answer::Ask, true, None),
        (Answer::Ask, false, Some("confirmation_required")),
        (Answer::Deny, true, Some("denied")),
    ] {
        let passed = decision(answer).pass("a:b", is_confirmed);
        assert_eq!(
            passed.as_ref().err().map(|error| error.kind().as_str()),
            kind,
            "{answer:?}"
        );
        if let Err(error) = passed {
            assert_eq!(error.exit_code(), 4);
            let details = error.details().unwrap().to_value();
            assert_eq!(details["policy"], json!({"file": "/user", "rule": 2}));
        }
    }
}
