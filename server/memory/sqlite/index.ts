import type { Database } from "../../../db/database.ts";
import { ANALYSIS_VERSION } from "../analysis/analysis-version.ts";
import { type AnalyzedLearning, fieldTerms } from "../analysis/analyze.ts";
import { SPELLABLE } from "../ranking/spelling.ts";
import type { Learning } from "../store/learning.ts";
import { LEARNING_COLUMNS, type LearningRow, toLearning } from "../store/learning-row.ts";
import type { LearningIndex } from "../store/store.ts";
import { countsOf, trigrams } from "./search.ts";

/** Which learnings have a term, and in how many a term is: written in the transaction that changes a learning. */
export const createIndex = (
  db: Database,
  analyze: (learning: Learning) => AnalyzedLearning,
  /** told of every change, before it is committed: nothing is searched until it is, or is undone */
  onChange: () => void,
): LearningIndex => ({
  insert: (learning) => {
    onChange();
    const analyzed = analyze(learning);
    const { trigger, learning: rest } = fieldTerms(analyzed);
    db.run("INSERT INTO memory_index (rowid, trigger, learning) VALUES (?, ?, ?)", [
      learning.seq,
      trigger.join(" "),
      rest.join(" "),
    ]);
    const counts = countsOf(db, analyzed.terms);
    const fresh = analyzed.terms.filter((term) => counts.get(term) === 0 && SPELLABLE.test(term));
    db.run("INSERT INTO memory_spellings (term) SELECT value FROM json_each(?)", [JSON.stringify(fresh)]);
    db.run(
      `INSERT INTO memory_terms SELECT value, 1 FROM json_each(?) WHERE true
       ON CONFLICT (term) DO UPDATE SET documents = documents + 1`,
      [JSON.stringify(analyzed.terms)],
    );
    countTotals(db, analyzed, 1);
  },
  remove: (learning) => {
    onChange();
    const analyzed = analyze(learning);
    db.run("DELETE FROM memory_index WHERE rowid = ?", [learning.seq]);
    const counts = countsOf(db, analyzed.terms);
    for (const term of analyzed.terms.filter((one) => counts.get(one) === 1 && SPELLABLE.test(one)))
      db.run(
        "DELETE FROM memory_spellings WHERE rowid IN (SELECT rowid FROM memory_spellings WHERE memory_spellings MATCH ? AND term = ?)",
        [trigrams(term), term],
      );
    const terms = JSON.stringify(analyzed.terms);
    db.run(
      "UPDATE memory_terms SET documents = documents - 1 WHERE term IN (SELECT value FROM json_each(?))",
      [terms],
    );
    db.run("DELETE FROM memory_terms WHERE documents <= 0 AND term IN (SELECT value FROM json_each(?))", [
      terms,
    ]);
    countTotals(db, analyzed, -1);
  },
});

const countTotals = (db: Database, { triggerLength, learningLength }: AnalyzedLearning, by: 1 | -1): void => {
  db.run(
    `UPDATE memory_totals SET documents = documents + ?, trigger_length = trigger_length + ?,
     learning_length = learning_length + ?`,
    [by, by * triggerLength, by * learningLength],
  );
};

/** Makes the index again where another version's analysis made it. */
export const rebuildIfOutdated = (db: Database, index: LearningIndex): void => {
  const known = db.get<{ value: string }>(
    "SELECT value FROM memory_settings WHERE name = 'analysis_version'",
  );
  if (known?.value === String(ANALYSIS_VERSION)) return;
  db.transaction(() => {
    db.exec(
      "DELETE FROM memory_index; DELETE FROM memory_terms; DELETE FROM memory_spellings; UPDATE memory_totals SET documents = 0, trigger_length = 0, learning_length = 0",
    );
    for (const { seq } of db.all<{ seq: number }>("SELECT seq FROM memory_learnings ORDER BY seq")) {
      const row = db.get<LearningRow>(`SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE seq = ?`, [
        seq,
      ]);
      if (row) index.insert(toLearning(row));
    }
    db.run("INSERT OR REPLACE INTO memory_settings VALUES ('analysis_version', ?)", [
      String(ANALYSIS_VERSION),
    ]);
  });
};
