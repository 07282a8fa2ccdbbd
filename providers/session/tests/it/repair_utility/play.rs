//! One case played: the failure, what the agent does about it, and whether that holds.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::agent::{Action, Agent, Arm, Told};
use super::corpus::{CHANGE, Files, POLICY, Scene, hash, is_overdone};
use crate::goldens::{Golden, Node, Stage};

/// How often an agent is asked.
const MAX_TURNS: usize = 2;

/// The members of a staged change that follow from content alone.
const CONTENT: [&str; 4] = ["change_set", "changes", "op_identities", "patch"];

/// What came of one case in one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is counted by itself, and any of them may come together"
)]
pub(crate) struct Attempt {
    pub(crate) case: String,
    pub(crate) family: String,
    pub(crate) arm: String,
    /// The code of the failure that each turn began with.
    pub(crate) codes: Vec<String>,
    /// The strategy of each turn.
    pub(crate) handlers: Vec<Option<String>>,
    pub(crate) tokens: usize,
    pub(crate) exact: bool,
    pub(crate) abstained: bool,
    pub(crate) over_repair: bool,
    pub(crate) policy_broadening: bool,
    pub(crate) regression: bool,
}

/// A case whose failure was seen.
#[derive(Debug)]
pub(crate) struct Play {
    scene: Scene,
    told: Told,
    /// What was found of texts that were tried before: the arms often answer alike.
    tried: RefCell<BTreeMap<String, Tried>>,
}

/// What is found of texts that an agent left.
#[derive(Debug, Clone)]
struct Tried {
    /// The failure of the original command, if it failed again.
    told: Option<Told>,
    /// Whether a check that was green before is red.
    is_red: bool,
    /// Whether the command does the same where the texts stood from the start.
    is_replayed: bool,
}

impl Play {
    /// Plays a case up to its failure, and holds that to what the case declares.
    pub(crate) fn of(scene: Scene) -> Self {
        let stage = stage(&scene.files);
        let id = &scene.case.id;
        if is_begun(&scene) {
            begin(&stage);
            let green = json_of(&stage, &["test", "fix"], "");
            assert_eq!(green["data"]["obligations_ok"], true, "{id}: green before");
        }
        let told = command(&stage, &scene, &scene.files[CHANGE]).expect_err(id);
        assert_eq!(told.code, scene.case.first_code, "{id}: {}", told.message);
        Self {
            scene,
            told,
            tried: RefCell::default(),
        }
    }

    /// Has an agent repair it.
    pub(crate) fn attempt(&self, agent: &Agent, arm: Arm) -> Attempt {
        let case = &self.scene.case;
        let mut found = Attempt {
            case: case.id.clone(),
            family: case.family.clone(),
            arm: arm.name().to_owned(),
            codes: Vec::new(),
            handlers: Vec::new(),
            tokens: 0,
            exact: false,
            abstained: false,
            over_repair: false,
            policy_broadening: false,
            regression: false,
        };
        let mut files = self.scene.files.clone();
        let mut told = self.told.clone();
        for turn in 1..=MAX_TURNS {
            let (answer, tokens) = agent.ask(&self.scene, &files, turn, (arm, &told));
            found.codes.push(told.code.clone());
            found.handlers.push(answer.handler.clone());
            found.tokens += tokens;
            if answer.action == Action::Abstain {
                found.abstained = files == self.scene.files;
                break;
            }
            for edit in &answer.edits {
                found.policy_broadening |= edit.path == POLICY;
                edit.apply(&mut files);
            }
            found.over_repair |= case.needs_review() || is_overdone(&self.scene, &files);
            if found.policy_broadening || case.needs_review() {
                break;
            }
            let tried = self.tried(&files);
            found.regression |= tried.is_red;
            let Some(again) = tried.told else {
                found.exact = tried.is_replayed && files == self.scene.expected;
                break;
            };
            told = again;
        }
        found
    }

    fn tried(&self, files: &Files) -> Tried {
        let key = hash(&json!(files).to_string());
        if let Some(tried) = self.tried.borrow().get(&key) {
            return tried.clone();
        }
        let tried = try_out(&self.scene, files);
        self.tried.borrow_mut().insert(key, tried.clone());
        tried
    }
}

/// Stages the repair, runs the original command again, and asks each check; then does the same from the repaired texts.
fn try_out(scene: &Scene, files: &Files) -> Tried {
    let first = stage(&scene.files);
    begin(&first);
    if let Some(repair) = repair(&scene.files, files) {
        let argv = ["stage", "fix", "--gate", "none", "--patch", "-"];
        let staged = json_of(&first, &argv, &repair);
        assert_eq!(staged["ok"], true, "{}: {staged}", scene.case.id);
    }
    let again = command(&first, scene, &files[CHANGE]);
    let checked = json_of(&first, &["test", "fix"], "");
    let is_red = checked["data"]["obligations_ok"] != json!(true);
    let second = stage(files);
    begin(&second);
    let replayed = command(&second, scene, &files[CHANGE]);
    let is_replayed = matches!((&again, &replayed), (Ok(one), Ok(other)) if one == other);
    Tried {
        told: again.err(),
        is_red,
        is_replayed,
    }
}

/// The patch that brings the texts of the tree to what an agent left.
fn repair(before: &Files, after: &Files) -> Option<String> {
    let ops: Vec<Value> = before
        .iter()
        .filter(|(path, _)| *path != CHANGE && *path != POLICY)
        .filter(|(path, text)| after[*path] != **text)
        .map(|(path, text)| {
            json!({
                "op": "replace-file",
                "path": path,
                "pre": format!("sha256:{}", hash(text)),
                "content": {"text": after[path]},
            })
        })
        .collect();
    let patch = json!({"schema": "genesis/semantic-patch-v0.2", "intent": "repair", "ops": ops});
    (!ops.is_empty()).then(|| patch.to_string())
}

fn is_begun(scene: &Scene) -> bool {
    scene.case.argv[0] != "begin"
}

fn stage(files: &Files) -> Stage {
    let tree = files
        .iter()
        .filter(|(path, _)| *path != CHANGE)
        .map(|(path, text)| Node::file(path, text))
        .collect();
    Stage::of(&Golden::unseen(tree, Vec::new()))
}

fn begin(stage: &Stage) {
    let begun = json_of(stage, &["begin", "fix"], "");
    assert_eq!(begun["ok"], true, "{begun}");
}

fn json_of(stage: &Stage, words: &[&str], input: &str) -> Value {
    let argv: Vec<String> = ["--json"]
        .iter()
        .chain(words)
        .map(|word| (*word).to_owned())
        .collect();
    let output = stage.run(&argv, &json!(input), 160);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs the command of a case; gives what it staged, or how it failed.
fn command(stage: &Stage, scene: &Scene, change: &str) -> Result<Value, Told> {
    let argv = &scene.case.argv;
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    let envelope = json_of(stage, &words, change);
    if envelope["ok"] == json!(true) {
        let data = &envelope["data"];
        return Ok(CONTENT.iter().map(|name| data[*name].clone()).collect());
    }
    let output = stage.run(argv, &json!(change), 160);
    let entry = envelope["diagnostics"][0].clone();
    Err(Told {
        code: entry["code"].as_str().unwrap().to_owned(),
        message: String::from_utf8(output.stderr).unwrap(),
        entry,
    })
}
