import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { keyPairRecipes } from '../../../lib/pages/site/machines/recipes.ts';
import { api, dataOf, type onceOnly, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { SecretDialog, useConfirm } from '../components/dialogs.tsx';
import { Form, type FormField } from '../components/form.tsx';
import { Lines, List, type LoadPage, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { configuration } from '../configuration.ts';
import { useCreateOnce } from './create-once.ts';
import { Creator, LostKey } from './key-parts.tsx';
import { RecipeChooser } from './recipe-chooser.tsx';

type ApiKey = Schemas['ApiKey'];
type NewKey = Schemas['NewApiKey'];

interface ApiKeysProps {
  /** The name of the account or repository. */
  of: string;
  /** Describes the data that software can no longer read or write after the key is revoked. */
  reaches: string;
  /** True for a platform login. It has no owner, and the operator of the site runs the software that uses it. */
  isLogin?: boolean;
  keys: readonly string[];
  s3Uri: string;
  mayCreate: boolean;
  load: LoadPage<ApiKey>;
  /** Creates an API key. Throws `Problem`. */
  create: (body: Schemas['ApiKeyRequest'], header: ReturnType<typeof onceOnly>) => Promise<NewKey>;
}

/** Manages the API keys of an account or a repository. API keys are permanent access keys for S3 clients. */
export function ApiKeys({ of, reaches, isLogin = false, keys, s3Uri, mayCreate, load, create }: ApiKeysProps) {
  const list = useList(load, keys);
  const { confirm, confirmDialog } = useConfirm();
  const revoke = async (access_key_id: string) => {
    await dataOf(api.DELETE('/api-keys/{access_key_id}', { params: { path: { access_key_id } } }));
    await list.reload();
  };
  const confirmRevocation = ({ access_key_id, name }: ApiKey) =>
    confirm({
      title: `Revoke the key “${name}”?`,
      action: 'Revoke key',
      name,
      onConfirm: async () => {
        await revoke(access_key_id);
        notify(`The key “${name}” is revoked.`);
      },
      stops: [
        `Software with ${access_key_id} can no longer write within one minute. Within five minutes, it can read only the open data of ${reaches}.`,
        'Links that were signed with it stop working.',
        'A revoked key cannot be restored.',
      ],
    });
  return (
    <>
      {mayCreate && <NewApiKey s3Uri={s3Uri} create={create} revoke={revoke} onDone={list.reload} />}
      <List
        list={list}
        label="API keys"
        columns={[
          { title: 'Key', cell: (key) => <Lines of={[key.name, <code>{key.access_key_id}</code>]} /> },
          { title: 'State', cell: stateOf },
          { title: 'Created by', isLabeled: true, cell: Creator },
          {
            title: 'Actions',
            cell: (key) =>
              !key.disabled &&
              mayCreate && (
                <Button kind="small" label="Revoke …" of={key.name} onClick={() => confirmRevocation(key)} />
              ),
          },
        ]}
        empty={`There is no API key of ${of}. ${
          isLogin
            ? 'Create one key for each computer that runs its software.'
            : 'Create one for a tool that needs a fixed key pair. Use a service account for software that runs without a user. It can reach only the repositories that you grant.'
        }`}
      />
      {confirmDialog}
    </>
  );
}

function stateOf({ disabled, expires }: ApiKey) {
  if (disabled) return <span class="badge over">revoked</span>;
  const isExpired = Date.parse(expires) <= Date.now();
  const badge = isExpired ? <span class="badge over">expired</span> : <span class="badge live">active</span>;
  return <Lines of={[badge, `${isExpired ? 'since' : 'until'} ${formatDay(expires)}`]} />;
}

const dayMs = 86_400_000;
const expiryOptions = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['date', 'On another day'],
] as const;

const newValues = { name: '', expiry: '90' as (typeof expiryOptions)[number][0], day: '' };

interface NewApiKeyProps extends Pick<ApiKeysProps, 's3Uri' | 'create'> {
  revoke: (access_key_id: string) => Promise<void>;
  onDone: () => Promise<void>;
}

function NewApiKey({ s3Uri, create, revoke, onDone }: NewApiKeyProps) {
  const [values, setValues] = useState(newValues);
  const [shown, setShown] = useState<NewKey>();
  const once = useCreateOnce((wanted: typeof newValues) => ({ name: wanted.name, expires: expiresOf(wanted) }), create);
  const stored = async () => {
    notify(`The key “${shown?.name}” is created.`);
    // Remove the secret from the page's state, because the user has stored the key.
    setShown(undefined);
    setValues({ ...values, name: '' });
    await onDone();
  };
  const revokeLost = async () => {
    await revoke(once.lostId ?? '');
    once.forget();
  };
  return (
    <>
      <Form
        summary="New API key"
        onSubmit={async () => setShown(await once.make(values))}
        submitLabel="Create key"
        onProblem={once.onProblem}
        values={values}
        onChange={setValues}
        fields={[
          once.lostId !== undefined && <LostKey id={once.lostId} name={values.name} revoke={revokeLost} />,
          {
            name: 'name',
            label: 'Name',
            isRequired: true,
            maxLength: 128,
            hint: 'The tool that uses the key, and its computer.',
          },
          ...expiryFields(values.expiry),
        ]}
      />
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

/** Returns the fields of the expiry: a period, or a day of the user's choice. */
function expiryFields(expiry: (typeof newValues)['expiry']): readonly FormField<typeof newValues>[] {
  return [
    {
      name: 'expiry',
      path: expiry === 'date' ? 'expiry' : 'expires',
      label: 'Expires',
      options: expiryOptions,
    },
    expiry === 'date' && {
      name: 'day',
      path: 'expires',
      label: 'Day',
      kind: 'date',
      isRequired: true,
      hint: 'The key works until the end of that day, in UTC.',
    },
  ];
}

function expiresOf({ expiry, day }: typeof newValues): string {
  if (expiry === 'date') return day === '' ? '' : `${day}T23:59:59Z`;
  return new Date(Date.now() + Number(expiry) * dayMs).toISOString();
}
