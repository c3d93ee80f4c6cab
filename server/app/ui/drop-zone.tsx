import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Limits } from "./api.ts";
import { publishObstacle } from "./check-files.ts";
import { type Chosen, fromDrop, fromInput } from "./collect.ts";
import { mebibytesText } from "./format.ts";

type Props = { limits: Limits; onFiles: (chosen: Chosen) => void };

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/** Files that are dropped anywhere on the page; beside the box a browser would open them in the page's place. */
const useDrop = (onFiles: Props["onFiles"]): boolean => {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Only leaving the window itself enters nothing else.
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void fromDrop(event.dataTransfer).then((chosen) => take.current(chosen));
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
};

/** Takes a folder, dropped or chosen; the limits are said before they bite. */
export const DropZone = (props: Props) => {
  const obstacle = publishObstacle();
  return obstacle === undefined ? <Zone {...props} /> : <p class="notice warn">{obstacle}</p>;
};

const Zone = ({ limits, onFiles }: Props) => {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop(onFiles);
  const hintId = useId();
  return (
    <div class={isOver ? "drop over" : "drop"}>
      <p class="strong">Drop a folder here</p>
      <button type="button" class="primary" aria-describedby={hintId} onClick={() => input.current?.click()}>
        Choose a folder
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        {...{ webkitdirectory: true }}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files && files.length > 0) onFiles(fromInput(files));
          event.currentTarget.value = "";
        }}
      />
      <p class="quiet" id={hintId}>
        With an index.html in it. Up to {limits.maxFiles} files, {mebibytesText(limits.maxFileBytes)} each,{" "}
        {mebibytesText(limits.maxSiteBytes)} in all.
      </p>
    </div>
  );
};
