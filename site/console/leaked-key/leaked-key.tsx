import type { RefObject } from 'preact';
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

/** The parts of the text that look like keys but are not sent. */
type NotTaken = Pick<FoundKeys, 'withoutSecret' | 'cutShort' | 'temporary' | 'ofAws'>;

interface Done {
  /** The names of complete keys that were sent. */
  revoked: readonly string[];
  /**
   * IDs that were sent together with every possible secret in the text. IDs with too many possible secrets are in
   * `partlyTried`.
   */
  tried: readonly string[];
  partlyTried: readonly string[];
  malformed: readonly string[];
  notTaken: NotTaken;
}

/**
 * Revokes a leaked key. The view needs no sign-in.
 * The pasted text stays in this page: it is in no URL, no browser storage, and no form history. The page clears it
 * after sending.
 */
export function View() {
  const [done, setDone] = useState<Done>();
  return (
    <>
      <p class="lead">
        Anyone who can read a repository, a log, a chat, or a mail can use a key in it. Revoke the key here. You need no
        account, and you do not have to be the owner of the key.
      </p>
      <ul>
        <li>
          <strong>What stops working:</strong> sign-ins and writes with the key stop within about a minute, and reads of
          restricted data within five minutes. Temporary credentials that were issued with the key stay valid until they
          expire, usually within an hour, and within twelve hours at most.
        </li>
        <li>
          <strong>What keeps working:</strong> the account, its data, and its other keys.
        </li>
        <li>
          <strong>What the owner sees:</strong> the audit trail shows that the key was found and revoked. It does not
          show who you are.
        </li>
        <li>
          <strong>What you see:</strong> nothing about the key. The answer is the same for a valid key, a revoked key,
          and a key that never existed.
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
  const found = findKeys(text);
  const { keys, partlyTried, ...notTaken } = found;
  const names = namesOfKeys(keys);
  useClearOnLeave(area, () => setText(''));
  const revoke = async () => {
    const malformedKeys = new Set<FoundKey>();
    for (let start = 0; start < keys.length; start += keysAtOnce) {
      const some = keys.slice(start, start + keysAtOnce);
      const body = { keys: [...some] };
      const { malformed } = await dataOf(api.POST('/service-account-keys/revocations/batch', { body }));
      for (const position of malformed) if (some[position] !== undefined) malformedKeys.add(some[position]);
    }
    setText('');
    const sent = keys.filter((key) => !malformedKeys.has(key));
    onDone({
      revoked: namesOfKeys(sent.filter((key) => typeof key === 'string')),
      // All IDs are paired with the same possible secrets. So either every ID was sent with all secrets, or no ID was.
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
          Paste the key, or the whole text that contains it. Only keys are sent. A key begins with <code>sck_</code>, or
          has an ID that begins with <code>SCAK</code> and a secret of 64 letters and digits.
        </p>
      </div>
      <Findings text={text} found={found} />
    </Form>
  );
}

/**
 * Clear the text when the user leaves the page. Otherwise the browser's back/forward cache would still contain the key.
 */
function useClearOnLeave(area: RefObject<HTMLTextAreaElement | null>, onClear: () => void) {
  useEffect(() => {
    const clear = () => {
      if (area.current !== null) area.current.value = '';
      onClear();
    };
    addEventListener('pagehide', clear);
    return () => removeEventListener('pagehide', clear);
  }, []);
}

/** Shows which keys the text contains, and why some parts of it are not sent. */
function Findings({ text, found: { keys, partlyTried, ...notTaken } }: { text: string; found: FoundKeys }) {
  return (
    <div aria-live="polite">
      {text.length >= lettersMax && (
        <p class="fault">This field takes a million characters at once. Send them, then paste the rest.</p>
      )}
      {keys.length > 0 && (
        <p>
          Found: <Names names={namesOfKeys(keys)} />
        </p>
      )}
      {text.trim() !== '' && keys.length === 0 && Object.values(notTaken).every(({ length }) => length === 0) && (
        <p class="fault">
          This text contains no complete key. Copy all of the key, from its first to its last character.
        </p>
      )}
      <WhyNot {...notTaken} />
      {partlyTried.length > 0 && (
        <p class="fault">
          <PartlyTried ids={partlyTried} />
        </p>
      )}
    </div>
  );
}

/** Explains why the page did not send some texts that look like keys. */
function WhyNot({ withoutSecret, cutShort, temporary, ofAws }: NotTaken) {
  return (
    <>
      {cutShort.length > 0 && (
        <p class="fault">
          <Names names={cutShort} /> {cutShort.length === 1 ? 'is not a complete key' : 'are not complete keys'}. A key
          has 40 characters, with <code>sck_</code>. Copy all of them.
        </p>
      )}
      {withoutSecret.length > 0 && (
        <p class="fault">
          The text does not contain the secret of <Names names={withoutSecret} />. An ID alone gives no access, so it
          cannot be revoked alone. Paste it with its secret.
        </p>
      )}
      {temporary.length > 0 && (
        <p class="fault">
          <Names names={temporary} /> {temporary.length === 1 ? 'is the ID' : 'are IDs'} of temporary credentials, which
          cannot be revoked. They expire within twelve hours. Tell their owner, who can disable the account.
        </p>
      )}
      {ofAws.length > 0 && (
        <p class="fault">
          <Names names={ofAws} /> {ofAws.length === 1 ? 'is the ID of an access key' : 'are IDs of access keys'} of
          Amazon Web Services, not of this site. It is not sent anywhere and cannot be revoked here. Tell its owner, and
          report it to AWS at <a href="mailto:aws-security@amazon.com">aws-security@amazon.com</a>.
        </p>
      )}
    </>
  );
}

/** Warns that the page may not have sent the right secret of these keys. */
function PartlyTried({ ids }: { ids: readonly string[] }) {
  return (
    <>
      <Names names={ids} /> may still work afterwards. This text contains more possible secrets than can be sent for one
      ID. Paste only the ID and its secret.
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
        {isAnySent ? 'Thank you' : 'This is not a key'}
      </h2>
      {revoked.length > 0 && (
        <p>
          Sent: <Names names={revoked} />. If the key was valid, nobody can sign in with it after about a minute.
          Temporary credentials that were issued with it stay valid until they expire, within twelve hours at most.
        </p>
      )}
      {tried.length > 0 && (
        <p>
          Sent with every possible secret in the text: <Names names={tried} />. If the right secret was among them,
          writes with the key stop within about a minute, and reads of restricted data within five minutes. Otherwise
          the key still works: paste it with its secret.
        </p>
      )}
      {partlyTried.length > 0 && (
        <p class="fault">
          <PartlyTried ids={partlyTried} />
        </p>
      )}
      {isAnySent && (
        <p>
          Remove the key from the place where you found it, too. If it is yours, issue a new key and use it in place of
          the old one.
          {isSignedIn.value && (
            <>
              {' '}
              Go to <a href={hrefOf('/')}>your accounts</a>.
            </>
          )}
        </p>
      )}
      {malformed.length > 0 && (
        <p class="fault">
          Not revoked: <Names names={malformed} />. The checksum at the end of the key is wrong, so at least one
          character is wrong. Copy the key again.
        </p>
      )}
      <WhyNot {...notTaken} />
      <p>
        <button type="button" class="button second" onClick={onMore}>
          Revoke another key
        </button>
      </p>
    </section>
  );
}
