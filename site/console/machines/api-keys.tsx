import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { keyPairRecipes } from '../../../lib/pages/site/machines/recipes.ts';
import { type Answer, api, dataOf, type onceOnly, type Schemas } from '../api/client.ts';
import { DestructiveDialog, SecretDialog } from '../components/dialogs.tsx';
import { Field, Form } from '../components/form.tsx';
import { List, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { configuration } from '../configuration.ts';
import { useCreateOnce } from './create-once.ts';
import { Creator } from './creator.tsx';
import { LostKey } from './lost-key.tsx';
import { RecipeChooser } from './recipe-chooser.tsx';

type ApiKey = Schemas['ApiKey'];
type NewKey = Schemas['NewApiKey'];
type Header = ReturnType<typeof onceOnly>;

interface ApiKeysProps {
  /** The name of the account or repository. */
  of: string;
  /** The data that a revoked key can no longer reach. */
  reaches: string;
  /** True for a platform login. It has no owner, and the site's operator runs its software. */
  isLogin?: boolean;
  keys: readonly string[];
  s3Uri: string;
  may: { create: boolean };
  load: (cursor: string | undefined) => Promise<Answer<readonly ApiKey[]>>;
  /** Creates an API key. Throws `Problem`. */
  create: (body: Schemas['ApiKeyRequest'], header: Header) => Promise<NewKey>;
}

/** Manages the API keys of an account or a repository: permanent access keys for S3 clients. */
export function ApiKeys({ of, reaches, isLogin = false, keys, s3Uri, may, load, create }: ApiKeysProps) {
  const [ending, setEnding] = useState<ApiKey>();
  const list = useList(load, keys);
  const end = async (access_key_id: string) => {
    await dataOf(api.DELETE('/api-keys/{access_key_id}', { params: { path: { access_key_id } } }));
    await list.reload();
  };
  const endNamed = async ({ access_key_id, name }: ApiKey) => {
    await end(access_key_id);
    notify(`The key “${name}” is ended.`);
  };
  const row = (key: ApiKey) => (
    <>
      <td>
        {key.name}
        <br />
        <code>{key.access_key_id}</code>
      </td>
      <td>{stateOf(key)}</td>
      <td data-label="Made by">
        <Creator {...key} />
      </td>
      <td>
        {!key.disabled && may.create && (
          <button type="button" class="small" aria-label={`End ${key.name}`} onClick={() => setEnding(key)}>
            End …
          </button>
        )}
      </td>
    </>
  );
  return (
    <>
      {may.create && <NewApiKey s3Uri={s3Uri} create={create} end={end} onDone={list.reload} />}
      <List
        list={list}
        label="API keys"
        columns={['Key', 'State', 'Created by', 'End']}
        row={row}
        empty={<p>{`There is no API key of ${of}. ${isLogin ? texts.ofLogin : texts.ofOthers}`}</p>}
      />
      {ending !== undefined && (
        <DestructiveDialog
          title={`Revoke the key “${ending.name}”?`}
          action="Revoke key"
          name={ending.name}
          onClose={() => setEnding(undefined)}
          onConfirm={() => endNamed(ending)}
          stops={[
            `Whatever has ${ending.access_key_id} writes nothing within a minute, and reads nothing of ${reaches} within five that is not open to everybody.`,
            'Links that were signed with it lead to nothing.',
            'Nothing brings it back.',
          ]}
        />
      )}
    </>
  );
}

const texts = {
  ofLogin: 'Make one for each place where its software runs.',
  ofOthers:
    'Make one for a tool that takes a fixed pair. For software that runs by itself, a service account is safer: it reaches only what it needs.',
} as const;

function stateOf({ disabled, expires }: ApiKey) {
  if (disabled) return <span class="badge over">ended</span>;
  return Date.parse(expires) <= Date.now() ? (
    <>
      <span class="badge over">expired</span>
      <br />
      <span class="soft">since {formatDay(expires)}</span>
    </>
  ) : (
    <>
      <span class="badge live">active</span>
      <br />
      <span class="soft">until {formatDay(expires)}</span>
    </>
  );
}

const dayMs = 86_400_000;
const expiryOptions = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['date', 'On a day of my choice'],
] as const;

interface NewApiKeyProps extends Pick<ApiKeysProps, 's3Uri' | 'create'> {
  end: (access_key_id: string) => Promise<void>;
  onDone: () => Promise<void>;
}

function NewApiKey({ s3Uri, create, end, onDone }: NewApiKeyProps) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState('90');
  const [day, setDay] = useState('');
  const [shown, setShown] = useState<NewKey>();
  const { make, onProblem, lostId, forget } = useCreateOnce(
    (wanted: { name: string; expiry: string; day: string }) => ({ name: wanted.name, expires: expiresOf(wanted) }),
    create,
  );
  const stored = async () => {
    const { name: made } = shown ?? {};
    // Remove the secret from the page's state.
    setShown(undefined);
    notify(`The key “${made}” is made.`);
    setName('');
    await onDone();
  };
  const endLost = async () => {
    await end(lostId ?? '');
    forget();
  };
  return (
    <>
      <details class="create">
        <summary>Make an API key</summary>
        {lostId !== undefined && <LostKey id={lostId} name={name} end={endLost} />}
        <Form
          onSubmit={async () => setShown(await make({ name, expiry, day }))}
          submitLabel="Make the key"
          onProblem={onProblem}
        >
          {(problem) => (
            <>
              <Field
                label="Name"
                name="name"
                value={name}
                onChange={setName}
                problem={problem}
                isRequired
                maxLength={128}
                hint="Which tool has it, and where."
              />
              <Field
                label="It expires"
                name={expiry === 'date' ? 'expiry' : 'expires'}
                value={expiry}
                onChange={setExpiry}
                problem={problem}
                kind="select"
                options={expiryOptions}
              />
              {expiry === 'date' && (
                <Field
                  label="Day"
                  name="expires"
                  value={day}
                  onChange={setDay}
                  problem={problem}
                  kind="date"
                  isRequired
                  hint="It works until the end of that day, by UTC."
                />
              )}
            </>
          )}
        </Form>
      </details>
      {shown !== undefined && (
        <SecretDialog
          title={`The key “${shown.name}”`}
          onClose={() => void stored()}
          values={[
            ['Access key ID', shown.access_key_id],
            ['Secret access key', shown.secret_access_key],
          ]}
        >
          <RecipeChooser
            recipes={keyPairRecipes({ ...shown, name: 'sluice', dataUrl: configuration.data_url, s3Uri })}
          />
        </SecretDialog>
      )}
    </>
  );
}

function expiresOf({ expiry, day }: { expiry: string; day: string }): string {
  if (expiry === 'date') return day === '' ? '' : `${day}T23:59:59Z`;
  return new Date(Date.now() + Number(expiry) * dayMs).toISOString();
}
