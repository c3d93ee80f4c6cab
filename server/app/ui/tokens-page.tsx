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
import { Dialog } from "./dialog.tsx";
import { Field, Form, SecretField, Select } from "./fields.tsx";
import { Button, Command, Failure, PageTitle, Table, Time } from "./parts.tsx";
import { capitalized } from "./night/words.ts";
import { PairCode } from "./pair-code.tsx";
import { useLoad } from "./use-load.ts";
import { useWork } from "./use-work.ts";

const ACTIONS: [Action, string][] = [
  ["upload", "Upload"],
  ["activate", "Go live and roll back"],
  ["delete", "Delete"],
  ["watch", "Watch workers"],
  ["steer", "Watch and steer workers"],
  ["admin", "Everything, tokens included"],
];
/** "Upload, go live and roll back" */
const namesOf = (actions: readonly Action[]): string =>
  capitalized(
    ACTIONS.filter(([action]) => actions.includes(action))
      .map(([, text]) => text.toLowerCase())
      .join(", "),
  );
const DAY = 86_400;
const NEVER = "never";
const ENDS: [seconds: string, text: string][] = [
  [String(DAY), "in a day"],
  [String(30 * DAY), "in 30 days"],
  [String(90 * DAY), "in 90 days"],
  [String(365 * DAY), "in a year"],
  [NEVER, "never"],
];

const NewToken = ({ sites, onMade }: { sites: Site[]; onMade: () => Promise<void> }) => {
  const [site, setSite] = useState("");
  const [actions, setActions] = useState<Action[]>(["upload", "activate"]);
  const [ends, setEnds] = useState(String(30 * DAY));
  const [label, setLabel] = useState("");
  const [secret, setSecret] = useState("");
  const [own, setOwn] = useState("");
  const { error, run } = useWork();
  const id = useId();
  const isAdmin = actions.includes("admin");
  const make = async () => {
    const wanted = {
      actions,
      ...(site === "" ? {} : { site }),
      ...(label.trim() === "" ? {} : { label: label.trim() }),
      ...(ends === NEVER ? {} : { expiresInSeconds: Number(ends) }),
    };
    const { token } = await callWithToken(own.trim(), ({ api }) => api.tokens.post(wanted));
    setSecret(token);
    setLabel("");
    setOwn("");
    await onMade();
  };
  return (
    <section class="card stack" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>New token</h2>
      <Form class="stack" onSend={() => run(make)}>
        <div class="fields">
          <Select
            label="For"
            value={site}
            options={[
              { value: "", text: "every site" },
              ...sites.map(({ name }) => ({ value: name, text: name })),
            ]}
            onChange={setSite}
          />
          <Select
            label="Expires"
            value={ends}
            options={ENDS.map(([value, text]) => ({ value, text, disabled: value === NEVER && isAdmin }))}
            onChange={setEnds}
          />
          <Field
            label="Name"
            hint="optional"
            value={label}
            maxLength={100}
            onInput={(event) => setLabel(event.currentTarget.value)}
          />
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
        <SecretField
          label="Your token"
          hint="again, to confirm that it is you"
          value={own}
          onChange={setOwn}
        />
        <Failure error={error} />
        <div class="row">
          <button type="submit" class="primary" disabled={actions.length === 0}>
            Create token
          </button>
        </div>
      </Form>
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
    <td data-label="Permissions">{namesOf(token.actions)}</td>
    <td data-label="Expires">{token.expiresAt ? <Time iso={token.expiresAt} /> : "never"}</td>
    <td data-label="Last used">{token.lastUsedAt ? <Time iso={token.lastUsedAt} /> : "never"}</td>
    <td>
      <Button text="Revoke…" of={` ${token.label}`} class="small danger" onClick={onRevoke} />
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
        <Table
          caption="Tokens, the newest first"
          columns={["Token", "For", "Permissions", "Expires", "Last used", ""]}
        >
          <tbody>
            {value.tokens.map((token) => (
              <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
            ))}
          </tbody>
        </Table>
      )}
      {revoking && (
        <Dialog
          title="Revoke token"
          name={revoking.label}
          action="Revoke token"
          tone="danger"
          onClose={() => setRevoking(undefined)}
          onSend={async () => {
            const { notice } = await call(({ api }) => api.tokens({ id: revoking.id }).delete());
            if (revoking.isCurrent)
              dispatchEvent(
                new CustomEvent(SESSION_ENDED, { detail: `You revoked your own token. ${notice ?? ""}` }),
              );
            else await reload();
            setNotice(notice);
          }}
        >
          <p>
            Everyone who uses it is locked out at once{revoking.isCurrent ? ", you included" : ""}. This
            cannot be undone.
          </p>
        </Dialog>
      )}
    </main>
  );
};
