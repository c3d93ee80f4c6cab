import { useEffect, useState } from "preact/hooks";
import { call, type Candidate, type Learning, type Me, may } from "../api.ts";
import { Field, Form } from "../fields.tsx";
import { countText } from "../format.ts";
import { Button, Command, Failure, PageTitle, Time } from "../parts.tsx";
import { useWork } from "../use-work.ts";

type Shown = Learning & Partial<Pick<Candidate, "matches" | "passed_threshold">>;
type Page = { learnings: Shown[]; total?: number; abstained?: string };

const PAGE = 30;

const TYPES: Readonly<Record<Learning["type"], [string, string]>> = {
  learning: ["Learning", "good"],
  failure: ["Failure", "warn"],
  state: ["State", "quiet"],
};

/** How it went with those who were told it, in words. */
const outcomeText = ({ helpful, harmful }: Learning): string =>
  helpful + harmful === 0
    ? "not tried yet"
    : [
        ...(helpful > 0 ? [`went well ${countText(helpful, "time")}`] : []),
        ...(harmful > 0 ? [`went badly ${countText(harmful, "time")}`] : []),
      ].join(", ");

/** What it shares with the question: the index holds stems, people read words. */
const sharedWords = ({ trigger, learning, matches = [] }: Shown): string[] => {
  const words = `${trigger} ${learning}`.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  const shown = matches.map(
    ({ term }) => words.find((word) => word.startsWith(term.replace(/i$/, ""))) ?? term,
  );
  return [...new Set(shown)].slice(0, 8);
};

type Act = "confirm" | "reject" | "forget";
const ACTS: [act: Act, text: string, classes: string][] = [
  ["confirm", "Confirm", "small"],
  ["reject", "Reject", "small"],
  ["forget", "Forget", "small plain danger"],
];

const Item = ({
  item,
  canWrite,
  onAct,
}: {
  item: Shown;
  canWrite: boolean;
  onAct: (what: Act, item: Learning) => void;
}) => {
  const [words, tone] = TYPES[item.type];
  return (
    <li class="card stack tight">
      <div class="run-head">
        <span class={`status ${tone}`}>{words}</span>
        <span class="quiet">
          {item.project !== undefined && <>{item.project} · </>}
          <Time iso={item.createdAt} />
        </span>
      </div>
      <p class="strong">{item.trigger}</p>
      <p>{item.learning}</p>
      {item.alternative !== undefined && <p>Instead: {item.alternative}</p>}
      <p class="quiet">
        {outcomeText(item)} · confidence {Math.round(item.confidence * 100)} % · from{" "}
        {item.source ?? item.writer}
      </p>
      {item.matches !== undefined && (
        <p class={item.passed_threshold ? "plus" : "quiet"}>
          {item.passed_threshold ? "A worker would be told" : "Too weak a match to be told"}; words in common:{" "}
          {sharedWords(item).join(", ") || "none"}
        </p>
      )}
      {canWrite && (
        <div class="row">
          {ACTS.map(([what, text, more]) => (
            <Button
              key={what}
              text={text}
              of={`: ${item.trigger}`}
              class={more}
              onClick={() => onAct(what, item)}
            />
          ))}
        </div>
      )}
    </li>
  );
};

const DONE: Readonly<Record<Act, string>> = {
  confirm: "Confirmed: it counts for more.",
  reject: "Rejected: it counts for less.",
  forget: "Forgotten.",
};

/** What a worker with this task would be told, and what else was thought of, with the reason. */
const search = async (context: string): Promise<Page> => {
  const { candidates, abstained } = await call(({ inject }) => inject.trace.post({ context }));
  return { learnings: candidates.slice(0, PAGE), ...(abstained === undefined ? {} : { abstained }) };
};

/** What the workers have learned: read, searched, and judged by a person. */
export const MemoryPage = ({ me }: { me: Me }) => {
  const [asked, setAsked] = useState("");
  const [text, setText] = useState("");
  const [page, setPage] = useState<Page>();
  const { error, run } = useWork();
  const [done, setDone] = useState("");
  const [since, setSince] = useState("");
  const load = async (offset = 0) => {
    const found =
      asked === ""
        ? ((await call(({ learnings }) => learnings.get({ query: { limit: PAGE, offset } }))) as Page)
        : await search(asked);
    setPage((before) =>
      offset > 0 && before ? { ...found, learnings: [...before.learnings, ...found.learnings] } : found,
    );
  };
  useEffect(() => void run(load), [asked]);
  const act = (work: () => Promise<unknown>, words: string) =>
    run(async () => {
      await work();
      setDone(words);
      await load();
    });
  const onAct = (what: Act, item: Learning) =>
    void act(async () => {
      const before = new Date(Date.now() - 1_000).toISOString();
      const after = await (what === "forget"
        ? call(({ learning }) => learning({ id: item.id }).delete())
        : call(({ learning }) => learning({ id: item.id })({ verdict: what }).post()));
      setSince("updatedAt" in after ? after.updatedAt : before);
    }, DONE[what]);
  const undo = () =>
    act(
      () => call(({ undo: takeBack }) => takeBack.post({ writer: `token ${me.label} (${me.token})`, since })),
      "Taken back.",
    );
  const canWrite = may(me, "admin");
  const shown = page?.learnings.length ?? 0;
  return (
    <main class="stack">
      <PageTitle title="Memory">Memory</PageTitle>
      <Form class="row" role="search" onSend={() => setAsked(text.trim())}>
        <Field
          class="grow"
          label="What would a worker be told about this?"
          type="search"
          value={text}
          maxLength={4000}
          placeholder="deploying the api"
          onInput={(event) => {
            setText(event.currentTarget.value);
            if (event.currentTarget.value === "") setAsked("");
          }}
        />
        <button type="submit" class="primary search-button">
          Search
        </button>
      </Form>
      <Failure error={error} />
      <div role="status" class={done === "" ? "sr" : "notice good row"}>
        <span class="grow">{done}</span>
        {done !== "" && done !== "Taken back." && <Button text="Undo" class="small" onClick={undo} />}
      </div>
      {page && (
        <>
          <p class="quiet">
            {asked === "" && shown === 0
              ? ""
              : asked === ""
                ? `${countText(page.total ?? shown, "learning")}, the newest first`
                : page.abstained !== undefined
                  ? `A worker would be told nothing: ${page.abstained}`
                  : shown === 0
                    ? "Nothing matches."
                    : `${countText(shown, "candidate")} for “${asked}”, the best first`}
          </p>
          <ul class="memories">
            {page.learnings.map((item) => (
              <Item key={item.id} item={item} canWrite={canWrite} onAct={onAct} />
            ))}
          </ul>
          {asked === "" && shown < (page.total ?? 0) && (
            <div class="row">
              <Button text="Show more" onClick={() => run(() => load(shown))} />
            </div>
          )}
          {asked === "" && shown === 0 && (
            <div class="empty stack">
              <p class="strong">The memory is empty</p>
              <p class="quiet">Workers add to it as they learn. You can add to it, too:</p>
              <Command text='nightshift memory add "deploying the api" "run the migration first"' />
            </div>
          )}
        </>
      )}
    </main>
  );
};
