import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, type Me, may, SESSION_ENDED } from "./api.ts";
import { Button, Failure, Link, PageTitle } from "./parts.tsx";
import { MemoryPage } from "./night/memory-page.tsx";
import { QueuePage } from "./night/queue-page.tsx";
import { NightPage } from "./night/night-page.tsx";
import { RunPage } from "./night/run-page.tsx";
import { type Place, usePlace } from "./router.ts";
import { SecurityPage } from "./security-page.tsx";
import { forgetPublications } from "./publications.ts";
import { PublishingMark } from "./publishing-mark.tsx";
import { forgetSession, hasSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { SitePage } from "./site-page.tsx";
import { SitesPage } from "./sites-page.tsx";
import { TokensPage } from "./tokens-page.tsx";
import { WaitingMark } from "./waiting-mark.tsx";
import { useAgain, useLoad } from "./use-load.ts";

/** The pages of the head; a later page adds its line, its place in `router.ts` and its case in `Page`. */
const PAGES = [
  { to: "/app", page: "night", title: "Night", action: "watch" },
  { to: "/app/memory", page: "memory", title: "Memory", action: "watch" },
  { to: "/app/queue", page: "queue", title: "Queue", action: "watch" },
  { to: "/app/sites", page: "sites", title: "Sites", action: undefined },
  { to: "/app/tokens", page: "tokens", title: "Tokens", action: "admin" },
  { to: "/app/security", page: "security", title: "Security", action: "admin" },
] as const;

/** The page of the head that a page belongs to. */
const PARTS: Readonly<Record<string, string>> = { site: "sites", run: "night" };

/** What somebody sees first: the night, or the sites where they may not watch it. */
const homeOf = (me: Me, place: Place): Place =>
  place.page === "night" && !may(me, "watch") ? { page: "sites" } : place;

const Head = ({ me, page, onSignOut }: { me: Me | undefined; page: string; onSignOut: () => void }) => (
  <header>
    <div class="head">
      <Link to="/app" class="brand">
        <img src="/app/icon.svg" alt="" width="24" height="24" /> Nightshift
      </Link>
      {me && (
        <>
          <nav aria-label="Main">
            {PAGES.filter(({ action }) => action === undefined || may(me, action)).map(
              ({ to, title, ...own }) => (
                <Link
                  key={to}
                  to={to}
                  aria-current={own.page === page ? "page" : own.page === PARTS[page] ? "true" : undefined}
                >
                  {title}
                </Link>
              ),
            )}
            <a href="/__companion/">Companion</a>
          </nav>
          <WaitingMark isShown={page !== "night"} />
          <PublishingMark />
          <span class="quiet who">{me.label}</span>
          <Button text="Sign out" class="small" onClick={onSignOut} />
        </>
      )}
    </div>
  </header>
);

const Page = ({ me }: { me: Me }) => {
  const place = homeOf(me, usePlace());
  if (place.page === "night") return <NightPage />;
  if (place.page === "memory") return <MemoryPage me={me} />;
  if (place.page === "queue") return <QueuePage me={me} />;
  if (place.page === "run") return <RunPage key={place.id} id={place.id} me={me} />;
  return <SitesPages me={me} place={place} />;
};

const SitesPages = ({
  me,
  place,
}: {
  me: Me;
  place: Exclude<Place, { page: "night" | "run" | "memory" | "queue" }>;
}) => {
  const { value: list, error, reload } = useLoad(() => call(({ api }) => api.sites.get()), "sites");
  const name = place.page === "site" ? place.name : "";
  useEffect(() => void reload(), [place.page, name]);
  useAgain(reload);
  if (place.page === "sites") return <SitesPage list={list} error={error} me={me} />;
  if (place.page === "security") return <SecurityPage />;
  if (place.page === "nowhere")
    return (
      <main class="stack">
        <PageTitle title="Not found">Page not found</PageTitle>
        <p>
          <Link to="/app">Back to the start page</Link>
        </p>
      </main>
    );
  if (!list) return <main class="stack">{error !== undefined && <Failure error={error} />}</main>;
  if (place.page === "tokens") return <TokensPage me={me} sites={list.sites} />;
  return <SitePage key={name} name={name} limits={list.limits} me={me} />;
};

type Session =
  | { state: "unknown" }
  | { state: "out"; reason?: string }
  | { state: "in"; me: Me }
  | { state: "lost"; error: unknown };

const App = () => {
  const [session, setSession] = useState<Session>({ state: "unknown" });
  const place = usePlace();
  useEffect(() => {
    if (!hasSession()) return setSession({ state: "out" });
    call(({ api }) => api.me.get()).then(
      (me) => setSession({ state: "in", me }),
      (error: unknown) =>
        setSession(
          error instanceof ApiError && error.status === 401 ? { state: "out" } : { state: "lost", error },
        ),
    );
  }, []);
  useEffect(() => {
    const end = (event: Event) => {
      forgetSession();
      const why = event instanceof CustomEvent ? String(event.detail) : "Your session has ended.";
      setSession((now) =>
        now.state === "in" ? { state: "out", reason: `${why} Sign in again to continue.` } : now,
      );
    };
    addEventListener(SESSION_ENDED, end);
    return () => removeEventListener(SESSION_ENDED, end);
  }, []);
  const signOut = () => {
    call(({ api }) => api.session.delete()).then(
      () => {
        forgetSession();
        forgetPublications();
        setSession({ state: "out", reason: "You are signed out." });
      },
      (error: unknown) => setSession({ state: "lost", error }),
    );
  };
  return (
    <>
      <Head
        me={session.state === "in" ? session.me : undefined}
        page={session.state === "in" ? homeOf(session.me, place).page : place.page}
        onSignOut={signOut}
      />
      {session.state === "in" && <Page me={session.me} />}
      {session.state === "out" && (
        <SignIn reason={session.reason} onSignedIn={(me) => setSession({ state: "in", me })} />
      )}
      {session.state === "lost" && (
        <main class="narrow">
          <Failure error={session.error} />
        </main>
      )}
    </>
  );
};

const root = document.getElementById("app");
if (root) render(<App />, root);
