import { useId, useState } from "preact/hooks";
import {
  type Action,
  call,
  callWithToken,
  type Me,
  may,
  SESSION_ENDED,
  type Site,
  type Token,
} from "./api.ts";
import { Command, Confirm, Failure, PageTitle, Time } from "./parts.tsx";
import { PairCode } from "./pair-code.tsx";
import { useLoad } from "./use-load.ts";

const ACTIONS: [Action, string][] = [
  ["upload", "Upload"],
  ["activate", "Go live and roll back"],
  ["delete", "Delete"],
  ["watch", "Watch workers"],
  ["steer", "Watch and steer workers"],
  ["admin", "Everything, tokens included"],
];
const DAY = 86_400;
const ENDS: [number | undefined, string][] = [
  [DAY, "in a day"],
  [30 * DAY, "in 30 days"],
  [90 * DAY, "in 90 days"],
  [365 * DAY, "in a year"],
  [undefined, "never"],
];

const NewToken = ({ sites, onMade }: { sites: Site[]; onMade: () => Promise<void> }) => {
  const [site, setSite] = useState("");
  const [actions, setActions] = useState<Action[]>(["upload", "activate"]);
  const [ends, setEnds] = useState(1);
  const [label, setLabel] = useState("");
  const [secret, setSecret] = useState("");
  const [own, setOwn] = useState("");
  const [error, setError] = useState<unknown>();
  const id = useId();
  const isAdmin = actions.includes("admin");
  const make = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    const expiresInSeconds = ENDS[ends]?.[0];
    try {
      const wanted = {
        actions,
        ...(site === "" ? {} : { site }),
        ...(label.trim() === "" ? {} : { label: label.trim() }),
        ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
      };
      const { token } = await callWithToken(own.trim(), ({ api }) => api.tokens.post(wanted));
      setSecret(token);
      setLabel("");
      setOwn("");
      await onMade();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section class="card stack" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>New token</h2>
      <form class="stack" onSubmit={(event) => void make(event)}>
        <div class="fields">
          <div class="field">
            <label for={`${id}-site`}>For</label>
            <select id={`${id}-site`} value={site} onChange={(event) => setSite(event.currentTarget.value)}>
              <option value="">every site</option>
              {sites.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for={`${id}-ends`}>Expires</label>
            <select
              id={`${id}-ends`}
              value={ends}
              onChange={(event) => setEnds(Number(event.currentTarget.value))}
            >
              {ENDS.map(([seconds, text], index) => (
                <option key={text} value={index} disabled={seconds === undefined && isAdmin}>
                  {text}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for={`${id}-label`}>
              Name <span class="quiet">(optional)</span>
            </label>
            <input
              id={`${id}-label`}
              value={label}
              maxLength={100}
              onInput={(event) => setLabel(event.currentTarget.value)}
            />
          </div>
        </div>
        <fieldset>
          <legend>Permissions</legend>
          {ACTIONS.map(([action, text]) => (
            <label class="check" key={action}>
              <input
                type="checkbox"
                checked={actions.includes(action)}
                onChange={(event) =>
                  setActions(
                    event.currentTarget.checked
                      ? [...actions, action]
                      : actions.filter((one) => one !== action),
                  )
                }
              />
              {text}
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label for={`${id}-own`}>
            Your token <span class="quiet">(once more, to create another one)</span>
          </label>
          <input
            id={`${id}-own`}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={own}
            onInput={(event) => setOwn(event.currentTarget.value)}
          />
        </div>
        <Failure error={error} />
        <div class="row">
          <button type="submit" class="primary" disabled={actions.length === 0}>
            Create token
          </button>
        </div>
      </form>
      {secret !== "" && (
        <div class="notice good stack" role="status">
          <p>Copy it now. You won't see it again.</p>
          <Command text={secret} label="Copy token" />
          <PairCode key={secret} token={secret} />
        </div>
      )}
    </section>
  );
};

const TokenRow = ({ token, onRevoke }: { token: Token; onRevoke: () => void }) => (
  <tr>
    <th scope="row">
      {token.label}
      {token.isCurrent && <span class="badge">You</span>}
    </th>
    <td data-label="For">{token.site ?? "every site"}</td>
    <td data-label="Permissions">{token.actions.join(", ")}</td>
    <td data-label="Expires">{token.expiresAt ? <Time iso={token.expiresAt} /> : "never"}</td>
    <td data-label="Last used">{token.lastUsedAt ? <Time iso={token.lastUsedAt} /> : "never"}</td>
    <td>
      <button type="button" class="small danger" onClick={onRevoke}>
        Revoke…<span class="sr"> {token.label}</span>
      </button>
    </td>
  </tr>
);

/** Managing tokens is an administrator's; others are told what theirs can do. */
export const TokensPage = ({ me, sites }: { me: Me; sites: Site[] }) =>
  may(me, "admin") ? (
    <Tokens sites={sites} />
  ) : (
    <main class="stack">
      <PageTitle title="Tokens">Tokens</PageTitle>
      <p class="notice">
        {me.actions.length === 0
          ? "This token can look but can't manage tokens."
          : `This token can ${me.actions.join(" and ")} but can't manage tokens.`}
      </p>
    </main>
  );

const Tokens = ({ sites }: { sites: Site[] }) => {
  const { value, error, reload } = useLoad(() => call(({ api }) => api.tokens.get()), "tokens");
  const [revoking, setRevoking] = useState<Token>();
  const [notice, setNotice] = useState<string>();
  return (
    <main class="stack">
      <PageTitle title="Tokens">Tokens</PageTitle>
      <p class="quiet">
        A token lets a person, an agent or a pipeline in. Only its fingerprint is stored here.
      </p>
      <Failure error={error} />
      {notice !== undefined && <p class="notice">{notice}</p>}
      <NewToken sites={sites} onMade={reload} />
      {value && (
        <table>
          <caption class="sr">Tokens, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">For</th>
              <th scope="col">Permissions</th>
              <th scope="col">Expires</th>
              <th scope="col">Last used</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {value.tokens.map((token) => (
              <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
            ))}
          </tbody>
        </table>
      )}
      {revoking && (
        <Confirm
          title="Revoke token"
          name={revoking.label}
          action="Revoke token"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            const { notice } = await call(({ api }) => api.tokens({ id: revoking.id }).delete());
            if (revoking.isCurrent)
              dispatchEvent(
                new CustomEvent(SESSION_ENDED, { detail: `You revoked your own token. ${notice ?? ""}` }),
              );
            else await reload();
            setNotice(notice);
          }}
        >
          Whoever uses it is locked out at once{revoking.isCurrent ? ", you included" : ""}. This cannot be
          undone.
        </Confirm>
      )}
    </main>
  );
};
