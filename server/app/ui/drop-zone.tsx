import { useId, useRef, useState } from "preact/hooks";
import type { Limits } from "./api.ts";
import { type ChosenFile, fromDrop, fromInput } from "./collect.ts";
import { mebibytesText } from "./format.ts";

/** Takes a folder, dropped or chosen; the limits are said before they bite. */
export const DropZone = ({ limits, onFiles }: { limits: Limits; onFiles: (files: ChosenFile[]) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const hintId = useId();
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) onFiles(await fromDrop(event.dataTransfer));
  };
  return (
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
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
        {mebibytesText(limits.maxSiteBytes)} in all. Hidden files are left out.
      </p>
    </div>
  );
};
