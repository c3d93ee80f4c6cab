import { useEffect, useId, useState } from "preact/hooks";
import { call, type Candidate, type Learning, type Me, may } from "../api.ts";
import { countText } from "../format.ts";
import { Command, Failure, PageTitle, Time } from "../parts.tsx";

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

const Item = ({
  item,
  canWrite,
  onAct,
}: {
  item: Shown;
  canWrite: boolean;
  onAct: (what: "confirm" | "reject" | "forget", item: Learning) => void;
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
          {item.passed_threshold ? "A worker would be told" : "Too weak to be told"}: it shares{" "}
          {[...new Set(item.matches.map(({ term }) => term))].slice(0, 8).join(", ") || "nothing"}
        </p>
      )}
      {canWrite && (
        <div class="row">
          <button type="button" class="small" onClick={() => onAct("confirm", item)}>
            Confirm<span class="sr">: {item.trigger}</span>
          </button>
          <button type="button" class="small" onClick={() => onAct("reject", item)}>
            Reject<span class="sr">: {item.trigger}</span>
          </button>
          <button type="button" class="small plain danger" onClick={() => onAct("forget", item)}>
            Forget<span class="sr">: {item.trigger}</span>
          </button>
        </div>
      )}
    </li>
  );
};

const DONE: Readonly<Record<"confirm" | "reject" | "forget", string>> = {
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
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState("");
  const [since, setSince] = useState("");
  const id = useId();
  const load = async (offset = 0) => {
    setError(undefined);
    try {
      const found =
        asked === ""
          ? ((await call(({ learnings }) => learnings.get({ query: { limit: PAGE, offset } }))) as Page)
          : await search(asked);
      setPage((before) =>
        offset > 0 && before ? { ...found, learnings: [...before.learnings, ...found.learnings] } : found,
      );
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => void load(), [asked]);
  const act = async (work: () => Promise<unknown>, words: string) => {
    setError(undefined);
    try {
      await work();
      setDone(words);
      await load();
    } catch (failure) {
      setError(failure);
    }
  };
  const onAct = (what: "confirm" | "reject" | "forget", item: Learning) =>
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
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(text.trim());
        }}
      >
        <div class="field grow">
          <label for={id}>What would a worker be told about</label>
          <input
            id={id}
            type="search"
            value={text}
            maxLength={4000}
            placeholder="deploying the api"
            onInput={(event) => {
              setText(event.currentTarget.value);
              if (event.currentTarget.value === "") setAsked("");
            }}
          />
        </div>
        <button type="submit" class="primary search-button">
          Search
        </button>
      </form>
      <Failure error={error} />
      <div role="status" class={done === "" ? "sr" : "notice good row"}>
        <span class="grow">{done}</span>
        {done !== "" && done !== "Taken back." && (
          <button type="button" class="small" onClick={() => void undo()}>
            Undo
          </button>
        )}
      </div>
      {page && (
        <>
          <p class="quiet">
            {asked === ""
              ? `${countText(page.total ?? shown, "learning")}, the newest first`
              : page.abstained !== undefined
                ? `A worker would be told nothing: ${page.abstained}`
                : shown === 0
                  ? "Nothing fits."
                  : `${countText(shown, "candidate")} for “${asked}”, the best first`}
          </p>
          <ul class="memories">
            {page.learnings.map((item) => (
              <Item key={item.id} item={item} canWrite={canWrite} onAct={onAct} />
            ))}
          </ul>
          {asked === "" && shown < (page.total ?? 0) && (
            <div class="row">
              <button type="button" onClick={() => void load(shown)}>
                Show more
              </button>
            </div>
          )}
          {asked === "" && shown === 0 && (
            <div class="empty stack">
              <p class="strong">The memory is empty</p>
              <p class="quiet">Workers fill it by themselves. You can, too:</p>
              <Command text='nightshift memory add "deploying the api" "run the migration first"' />
            </div>
          )}
        </>
      )}
    </main>
  );
};
