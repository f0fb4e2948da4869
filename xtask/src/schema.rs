//! `cargo xtask schema`: the JSON schema of scenarios, as a file that is published with the page.

use std::fs;

use anyhow::Context as _;
use barrierscope_core::scenario::schema::scenario_schema;

use crate::workspace::Workspace;

/// Where it is, from the root of the workspace.
const FILE: &str = "schema/scenario.schema.json";

/// Writes the schema anew.
pub(crate) fn schema() -> anyhow::Result<()> {
    let workspace = Workspace::locate()?;
    let file = workspace.root().join(FILE);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&file, scenario_schema())
        .with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde_json::{Value, json};

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn checker() -> jsonschema::Validator {
        let schema: Value = serde_json::from_str(&scenario_schema()).unwrap();
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    }

    #[test]
    fn the_published_schema_is_current() {
        let published = fs::read_to_string(root().join(FILE)).unwrap_or_default();
        assert!(
            published == scenario_schema(),
            "{FILE} is not what the types say: `cargo xtask schema` writes it anew"
        );
    }

    #[test]
    fn every_scenario_of_the_program_fits() {
        let checker = checker();
        let mut seen = 0;
        for folder in [
            "scenarios",
            "scenarios/cases",
            "scenarios/lessons",
            "scenarios/claims",
        ] {
            for entry in fs::read_dir(root().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let is_list = ["cases.json", "lessons.json", "claims.json"]
                    .iter()
                    .any(|it| path.ends_with(it));
                if path.extension().is_none_or(|it| it != "json") || is_list {
                    continue;
                }
                let scenario: Value =
                    serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
                if let Err(error) = checker.validate(&scenario) {
                    panic!("{}: {}: {error}", path.display(), error.instance_path());
                }
                seen += 1;
            }
        }
        assert!(seen > 80, "{seen}");
    }

    #[test]
    fn what_is_no_scenario_does_not_fit() {
        let checker = checker();
        let story: Value =
            serde_json::from_str(barrierscope_core::scenario::DEFAULT_STORY).unwrap();
        assert!(checker.is_valid(&story));
        for (pointer, wrong) in [
            ("/model", json!("nothing")),
            ("/seed", json!("seven")),
            ("/job/vertices/0/parallelism", json!(-1)),
            ("/job/vertices/0/operator/kind", json!("spring")),
            ("/reader/isolation_level", json!("read_everything")),
            ("/no_such_field", json!(1)),
        ] {
            let mut changed = story.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            changed.pointer_mut(parent).unwrap()[name] = wrong;
            assert!(!checker.is_valid(&changed), "{pointer}");
        }
    }

    /// The page shows what a field is for while it is edited: each has words.
    #[test]
    fn every_field_is_described() {
        let schema: Value = serde_json::from_str(&scenario_schema()).unwrap();
        let mut bare = Vec::new();
        collect(&schema, "", &mut bare);
        assert!(bare.is_empty(), "without a description: {bare:?}");
    }

    fn collect(value: &Value, path: &str, bare: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::Object(properties)) = fields.get("properties") {
                    for (name, field) in properties {
                        // What a variant is called says itself.
                        let is_variant = path.ends_with("/oneOf");
                        let is_told = field.get("description").is_some() || is_variant;
                        if !is_told && field.get("const").is_none() {
                            bare.push(format!("{path}/{name}"));
                        }
                    }
                }
                for (name, inner) in fields {
                    collect(inner, &format!("{path}/{name}"), bare);
                }
            }
            Value::Array(items) => items.iter().for_each(|it| collect(it, path, bare)),
            _ => {}
        }
    }
}
