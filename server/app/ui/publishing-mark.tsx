import { useEffect, useState } from "preact/hooks";
import { Link } from "./parts.tsx";
import { listSending, onPublications } from "./publications.ts";
import { sitePath } from "./router.ts";

/** What is being sent now, on every page: nothing goes live unseen. */
export const PublishingMark = () => {
  const [sites, setSites] = useState(listSending);
  useEffect(
    () =>
      onPublications(() =>
        setSites((before) => {
          const now = listSending();
          return before.join() === now.join() ? before : now;
        }),
      ),
    [],
  );
  return (
    <span role="status" class="mark">
      {sites.map((site) => (
        <Link key={site} to={sitePath(site)}>
          Publishing {site}…
        </Link>
      ))}
    </span>
  );
};
