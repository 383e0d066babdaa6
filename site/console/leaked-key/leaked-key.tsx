import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { hrefOf } from '../router.ts';
import { isSignedIn } from '../sign-in/session.ts';
import { type FoundKey, type FoundKeys, findKeys, namesOfKeys } from './keys-in-text.ts';

/** The API's maximum number of keys in one request. */
const keysAtOnce = 1000;
const namesShown = 20;
const lettersMax = 1_000_000;

/** Found items that are not sent. */
type NotTaken = Pick<FoundKeys, 'withoutSecret' | 'cutShort' | 'temporary' | 'ofAws'>;

interface Done {
  /** Complete keys that were sent. */
  revoked: readonly string[];
  /** IDs that were sent with all possible secrets. `partlyTried` has those with too many possible secrets. */
  tried: readonly string[];
  partlyTried: readonly string[];
  malformed: readonly string[];
  notTaken: NotTaken;
}

/**
 * Revokes a leaked key for anyone, with or without an account.
 * The pasted text stays in this page. It is in no URL, no browser storage, and no form history. The page deletes it
 * after it is sent.
 */
export function View() {
  const [done, setDone] = useState<Done>();
  return (
    <>
      <p class="lead">
        A key in a repository, a log, a chat or a mail is open to whoever reads there. Revoke it here; you need no
        account, and you do not have to be its owner.
      </p>
      <ul>
        <li>
          <strong>What stops:</strong> nobody signs in or reaches restricted data with the key any more: signing in and
          writing within about a minute, reading within five. Temporary credentials that somebody got with it before go
          on until they end, within an hour as a rule and twelve at most.
        </li>
        <li>
          <strong>What goes on:</strong> the account, its data and its other keys.
        </li>
        <li>
          <strong>Who is told:</strong> the owner sees in their audit trail that the key was found and revoked. They are
          not told who you are.
        </li>
        <li>
          <strong>What you are told:</strong> nothing about the key. The answer is the same for one that works, one that
          was revoked before and one that never was.
        </li>
      </ul>
      {done === undefined ? <Revocation onDone={setDone} /> : <Answer done={done} onMore={() => setDone(undefined)} />}
    </>
  );
}

function Revocation({ onDone }: { onDone: (done: Done) => void }) {
  const [text, setText] = useState('');
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const { keys, partlyTried, ...notTaken } = findKeys(text);
  const names = namesOfKeys(keys);
  // Clears the text, so that the browser's back/forward cache holds no key.
  useEffect(() => {
    const forget = () => {
      if (area.current !== null) area.current.value = '';
      setText('');
    };
    addEventListener('pagehide', forget);
    return () => removeEventListener('pagehide', forget);
  }, []);
  const revoke = async () => {
    const malformedKeys = new Set<FoundKey>();
    for (let start = 0; start < keys.length; start += keysAtOnce) {
      const some = keys.slice(start, start + keysAtOnce);
      const { malformed } = await dataOf(
        api.POST('/service-account-keys/revocations/batch', { body: { keys: [...some] } }),
      );
      for (const position of malformed) if (some[position] !== undefined) malformedKeys.add(some[position]);
    }
    setText('');
    const sent = keys.filter((key) => !malformedKeys.has(key));
    onDone({
      revoked: namesOfKeys(sent.filter((key) => typeof key === 'string')),
      // All IDs share the same possible secrets, so either all of them are fully tried or none is.
      tried: partlyTried.length > 0 ? [] : namesOfKeys(sent.filter((key) => typeof key !== 'string')),
      partlyTried,
      malformed: namesOfKeys([...malformedKeys]),
      notTaken,
    });
    notify('Sent.');
  };
  return (
    <Form
      onSubmit={revoke}
      submitLabel={names.length <= 1 ? 'Revoke the key' : `Revoke ${names.length} keys`}
      isDanger
      isDisabled={keys.length === 0}
    >
      <div class="field">
        <label for={id}>What you found</label>
        <textarea
          id={id}
          ref={area}
          rows={6}
          maxlength={lettersMax}
          autocomplete="off"
          autocapitalize="none"
          autocorrect="off"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p class="hint" id={`${id}-hint`}>
          Paste the key, or the whole text that it stands in: only keys are sent. Keys begin with <code>sck_</code>, or
          have an ID that begins with <code>SCAK</code> and a secret of 64 letters and digits.
        </p>
      </div>
      <div aria-live="polite">
        {text.length >= lettersMax && (
          <p class="fault">This takes a million letters at once. Paste the rest afterwards.</p>
        )}
        {keys.length > 0 && (
          <p>
            Found: <Names names={names} />
          </p>
        )}
        {text.trim() !== '' && keys.length === 0 && Object.values(notTaken).every(({ length }) => length === 0) && (
          <p class="fault">There is no whole key in this text. Copy it whole, from its first letter to its last.</p>
        )}
        <WhyNot {...notTaken} />
        {partlyTried.length > 0 && (
          <p class="fault">
            <PartlyTried ids={partlyTried} />
          </p>
        )}
      </div>
    </Form>
  );
}

/** Explains why a part of the text is not sent. */
function WhyNot({ withoutSecret, cutShort, temporary, ofAws }: NotTaken) {
  return (
    <>
      {cutShort.length > 0 && (
        <p class="fault">
          <Names names={cutShort} /> {cutShort.length === 1 ? 'is no whole key' : 'are no whole keys'}: with{' '}
          <code>sck_</code>, a key has 40 characters. Copy it from its first to its last.
        </p>
      )}
      {withoutSecret.length > 0 && (
        <p class="fault">
          The secret that belongs to <Names names={withoutSecret} /> is not in the text. An ID alone opens nothing, so
          it revokes nothing.
        </p>
      )}
      {temporary.length > 0 && (
        <p class="fault">
          <Names names={temporary} /> {temporary.length === 1 ? 'is the ID' : 'are IDs'} of temporary credentials, which
          nobody can revoke. They end by themselves, in twelve hours at most; tell their owner, who can disable the
          account.
        </p>
      )}
      {ofAws.length > 0 && (
        <p class="fault">
          <Names names={ofAws} /> {ofAws.length === 1 ? 'is the ID of an access key' : 'are IDs of access keys'} of
          Amazon Web Services, and nothing of this site: it is sent nowhere, and cannot be revoked here. Tell its owner,
          and AWS at <a href="mailto:aws-security@amazon.com">aws-security@amazon.com</a>, where you found it.
        </p>
      )}
    </>
  );
}

/** Warns that the right secret may not have been sent. */
function PartlyTried({ ids }: { ids: readonly string[] }) {
  return (
    <>
      <Names names={ids} /> may still work afterwards: this text has more that may be the secret than is sent for one
      ID. Paste the ID with its secret alone.
    </>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.slice(0, namesShown).map((name, index) => (
        <>
          {index > 0 && ', '}
          <code>{name}</code>
        </>
      ))}
      {names.length > namesShown && ` and ${names.length - namesShown} more`}
    </>
  );
}

function Answer({ done, onMore }: { done: Done; onMore: () => void }) {
  const { revoked, tried, partlyTried, malformed, notTaken } = done;
  const isAnySent = revoked.length + tried.length + partlyTried.length > 0;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="block">
      <h2 tabindex={-1} ref={heading}>
        {isAnySent ? 'Thank you' : 'That is no key'}
      </h2>
      {revoked.length > 0 && (
        <p>
          Sent whole: <Names names={revoked} />. If it worked until now, nobody signs in with it any more in about a
          minute. Temporary credentials that somebody got with it before go on until they end, in twelve hours at most.
        </p>
      )}
      {tried.length > 0 && (
        <p>
          Sent with every text that may be its secret: <Names names={tried} />. If its secret was among them, nobody
          writes with the key any more in about a minute, nor reads in about five what is not open to everybody. If it
          was not, the key still works: paste it with its secret.
        </p>
      )}
      {partlyTried.length > 0 && (
        <p class="fault">
          <PartlyTried ids={partlyTried} />
        </p>
      )}
      {isAnySent && (
        <p>
          Remove it from where you found it too. If it is yours, issue another and put it where the old one was
          {isSignedIn.value ? (
            <>
              : <a href={hrefOf('/')}>your accounts</a>
            </>
          ) : (
            ''
          )}
          .
        </p>
      )}
      {malformed.length > 0 && (
        <p class="fault">
          Not revoked: <Names names={malformed} />. The last six characters of a key fit the rest, and here they do not:
          some character is wrong. Copy it whole.
        </p>
      )}
      <WhyNot {...notTaken} />
      <p>
        <button type="button" class="button second" onClick={onMore}>
          Revoke another
        </button>
      </p>
    </section>
  );
}
