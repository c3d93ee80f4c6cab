import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, type Me, may, SESSION_ENDED, type SiteList } from "./api.ts";
import { Failure, Link, PageTitle } from "./parts.tsx";
import { usePlace } from "./router.ts";
import { SecurityPage } from "./security-page.tsx";
import { forgetSession, hasSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { SitePage } from "./site-page.tsx";
import { SitesPage } from "./sites-page.tsx";
import { TokensPage } from "./tokens-page.tsx";
import { useLoad } from "./use-load.ts";

/** The pages of the head; a later page adds its line, its place in `router.ts` and its case in `Page`. */
const PAGES = [
  { to: "/app", page: "sites", title: "Sites", action: undefined },
  { to: "/app/tokens", page: "tokens", title: "Tokens", action: "admin" },
  { to: "/app/security", page: "security", title: "Security", action: "admin" },
] as const;

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
                  aria-current={
                    own.page === page ? "page" : own.page === "sites" && page === "site" ? "true" : undefined
                  }
                >
                  {title}
                </Link>
              ),
            )}
            <a href="/__companion/">Companion</a>
          </nav>
          <span class="quiet who">{me.label}</span>
          <button type="button" class="small" onClick={onSignOut}>
            Sign out
          </button>
        </>
      )}
    </div>
  </header>
);

const Page = ({ me }: { me: Me }) => {
  const place = usePlace();
  const { value: list, error, reload } = useLoad(() => call<SiteList>("GET", "/api/sites"), "sites");
  const name = place.page === "site" ? place.name : "";
  useEffect(() => void reload(), [place.page, name]);
  if (place.page === "sites") return <SitesPage list={list} error={error} me={me} />;
  if (place.page === "security") return <SecurityPage />;
  if (place.page === "nowhere")
    return (
      <main class="stack">
        <PageTitle title="Not found">There is no such page</PageTitle>
        <p>
          <Link to="/app">Go to your sites</Link>
        </p>
      </main>
    );
  if (!list) return <main class="stack">{error !== undefined && <Failure error={error} />}</main>;
  if (place.page === "tokens") return <TokensPage sites={list.sites} />;
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
    call<Me>("GET", "/api/me").then(
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
        now.state === "in" ? { state: "out", reason: `${why} Sign in again to go on.` } : now,
      );
    };
    addEventListener(SESSION_ENDED, end);
    return () => removeEventListener(SESSION_ENDED, end);
  }, []);
  const signOut = () => {
    call("DELETE", "/api/session").then(
      () => {
        forgetSession();
        setSession({ state: "out", reason: "You are signed out." });
      },
      (error: unknown) => setSession({ state: "lost", error }),
    );
  };
  return (
    <>
      <Head me={session.state === "in" ? session.me : undefined} page={place.page} onSignOut={signOut} />
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
