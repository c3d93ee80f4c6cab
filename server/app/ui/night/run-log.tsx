import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { Failure } from "../parts.tsx";
import { clockText } from "./words.ts";

const KEPT = 500;

type Log = { lines: string[]; last: number };

const Line = ({ line }: { line: string }) => {
  const [, time = "", text = line] = /^(\d{4}-\S+Z) (.*)$/s.exec(line) ?? [];
  const kind = /^(tool|agent|gates|critic|warning|error|context|memory)\b/.exec(text)?.[1] ?? "";
  return (
    <div class={`log-line ${kind}`}>
      {time !== "" && <time dateTime={time}>{clockText(time)}</time>}
      <span>{text}</span>
    </div>
  );
};

/** The last lines of the worker's log, going on while one looks. */
export const RunLog = ({ id, onTold }: { id: string; onTold: (load: () => void) => void }) => {
  const [log, setLog] = useState<Log>({ lines: [], last: 0 });
  const [error, setError] = useState<unknown>();
  const [isFollowing, setFollowing] = useState(true);
  const last = useRef(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isOver = false;
    let isLoading = false;
    const load = async () => {
      if (isLoading) return;
      isLoading = true;
      try {
        const more = await call(({ api }) =>
          api.night.runs({ id }).log.get({ query: { after: last.current } }),
        );
        setError(undefined);
        if (!isOver && more.last > last.current) {
          last.current = more.last;
          setLog((before) => ({ lines: [...before.lines, ...more.lines].slice(-KEPT), last: more.last }));
        }
      } catch (failure) {
        setError(failure);
      }
      isLoading = false;
    };
    onTold(() => void load());
    void load();
    return () => {
      isOver = true;
    };
  }, [id]);
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log, isFollowing]);
  return (
    <section class="stack" aria-labelledby="log-title">
      <div class="row">
        <h2 id="log-title" class="grow">
          Log
        </h2>
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
          />
          Follow
        </label>
      </div>
      {log.lines.length === 0 && <Failure error={error} />}
      <div class="log-box" ref={box} tabIndex={0} role="log" aria-label="The worker's log">
        {log.lines.length === 0 ? (
          <span class="quiet">Nothing has been logged yet.</span>
        ) : (
          log.lines.map((line, at) => <Line key={log.last * KEPT + at - log.lines.length} line={line} />)
        )}
      </div>
    </section>
  );
};
