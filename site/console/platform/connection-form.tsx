import { useId, useState } from 'preact/hooks';
import { basePrefixOf } from '../../../lib/pages/site/typed-fields.ts';
import { atField } from '../api/problem.ts';
import { type FieldSpec, Form, useFault } from '../components/form.tsx';
import { optionLabels, type ShownField } from '../components/stale.tsx';
import { dataModeLabels, dataModes, modeNames } from '../views/data-modes.ts';
import type { Draft } from './connection-draft.ts';

export const placing = 'Who can create repositories on it';

/** The choices for `read_only` in the form of a new connection. */
export const usageOptions = [
  ['no', 'Reading and writing'],
  ['yes', 'Reading only'],
] as const;

export const flagOptions = [
  ['', 'Everyone with an account'],
  ['create_repositories', 'Accounts that may use restricted storage'],
  ['create_organizations', 'Accounts that may create organizations'],
  ['admin', 'Administrators'],
] as const;

export const usageLabels = optionLabels(usageOptions);

/** Returns the label of a connection's `required_flag`. */
export const flagLabel = (flag: string | undefined) => optionLabels(flagOptions)(flag ?? '');

/** Returns the labels of `allowed_data_modes`, which may be empty. */
export const listedModes = (modes: Parameters<typeof modeNames>[0]) => modeNames(modes) || 'no new repositories';

/** The fields that users compare. Credentials are omitted, because they are never shown. */
export const connectionFields: readonly ShownField[] = [
  { name: 'name', label: 'Name' },
  { name: 'endpoint', label: 'Endpoint' },
  { name: 'region', label: 'Region' },
  { name: 'bucket', label: 'Bucket' },
  { name: 'base_prefix', label: 'Base prefix' },
  { name: 'prefix_template', label: 'Prefix of a repository' },
  { name: 'read_only', label: 'Use', words: usageLabels },
  { name: 'allowed_data_modes', label: 'Allowed visibility', words: modeNames },
  { name: 'required_flag', label: placing, words: flagLabel },
];

/** Shows the refusal `place_taken` at the base prefix, where the user can correct the overlap. */
export function placeAtField(error: unknown): never {
  throw atField(error, 'place_taken', 'details.base_prefix');
}

/** The values of the form's controls. `store` only controls whether the endpoint is shown. */
type FormValues = Draft & { store: 'aws' | 'elsewhere' };

interface ConnectionFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  submitLabel: string;
  onSubmit: () => Promise<unknown>;
  /** True for an existing connection: its ID is fixed, and its credentials can stay unchanged. */
  isStored?: boolean;
}

/** Edits a connection's location, use, and credentials. */
export function ConnectionForm({ draft, onChange, submitLabel, onSubmit, isStored = false }: ConnectionFormProps) {
  // An S3-compatible store outside AWS needs an endpoint. The form shows the field only then.
  const [chosen, setChosen] = useState<FormValues['store']>('aws');
  const store = draft.endpoint === '' ? chosen : 'elsewhere';
  const change = ({ store: next, ...values }: FormValues) => {
    setChosen(next);
    onChange(next === 'aws' ? { ...values, endpoint: '' } : values);
  };
  return (
    <Form<FormValues>
      onSubmit={onSubmit}
      submitLabel={submitLabel}
      values={{ ...draft, store }}
      onChange={change}
      fields={[
        ...locationFields(draft, store, isStored),
        { name: 'read_only', label: 'Use', options: usageOptions },
        <Modes
          modes={draft.allowed_data_modes}
          onChange={(allowed_data_modes) => onChange({ ...draft, allowed_data_modes })}
        />,
        {
          name: 'required_flag',
          label: isStored ? placing : `${placing} after the test`,
          options: flagOptions,
        },
        ...credentialFields(draft, isStored),
      ]}
    />
  );
}

type Fields = readonly (FieldSpec<FormValues> | false)[];

function locationFields(draft: Draft, store: FormValues['store'], isStored: boolean): Fields {
  const isElsewhere = store === 'elsewhere';
  return [
    nameField,
    !isStored && idField,
    {
      name: 'store',
      label: 'Storage',
      options: [
        ['aws', 'Amazon S3'],
        ['elsewhere', 'Another S3-compatible storage'],
      ],
    },
    isElsewhere && endpointField,
    regionField(
      isElsewhere ? 'The name that the storage uses, such as auto.' : 'The region of the bucket, such as eu-west-1.',
    ),
    bucketField,
    basePrefixField(
      draft,
      'All data is stored below this prefix. It is empty or ends with “/”. Choose a prefix without objects. If another connection uses the same bucket, begin with a character that account IDs cannot have, as in “_archive/”.',
    ),
    templateField,
  ];
}

const exact = { isVerbatim: true, isRequired: true } as const;

export const nameField: FieldSpec<Draft> = {
  name: 'name',
  label: 'Name',
  isRequired: true,
  hint: 'Users choose the storage of a new repository by this name.',
};

export const idField: FieldSpec<Draft> = {
  name: 'data_connection_id',
  label: 'Connection ID',
  maxLength: 40,
  hint: 'You cannot change it later.',
  ...exact,
};

export const endpointField: FieldSpec<Draft> = {
  name: 'endpoint',
  path: 'details.endpoint',
  label: 'Endpoint',
  kind: 'url',
  hint: 'An https URL of a public host, such as https://s3.example.org, without a path.',
  ...exact,
};

export const regionField = (hint: string): FieldSpec<Draft> => ({
  name: 'region',
  path: 'details.region',
  label: 'Region',
  hint,
  ...exact,
});

export const bucketField: FieldSpec<Draft> = { name: 'bucket', path: 'details.bucket', label: 'Bucket', ...exact };

export const basePrefixField = ({ base_prefix }: Pick<Draft, 'base_prefix'>, hint: string): FieldSpec<Draft> => ({
  name: 'base_prefix',
  path: 'details.base_prefix',
  label: 'Base prefix',
  isVerbatim: true,
  taken: basePrefixOf(base_prefix),
  hint,
});

const templateField: FieldSpec<Draft> = {
  name: 'prefix_template',
  label: 'Prefix of a repository',
  isVerbatim: true,
  hint: (
    <>
      Below the base prefix. If empty: <code>{'{{repository.account_id}}/{{repository.repository_id}}/'}</code>.
    </>
  ),
};

function credentialFields(draft: Draft, isStored: boolean): Fields {
  return [
    {
      name: 'authentication',
      label: 'Credentials',
      options: [
        ...(isStored ? [['unchanged', 'Stored credentials'] as const] : []),
        ['s3_access_key', 'Access key'],
        ['s3_assume_role', 'AWS role that the data proxy assumes'],
        ...(isStored ? [] : [['none', 'None: the bucket is public'] as const]),
      ],
      hint: 'Credentials are stored encrypted. Only the data proxy uses them, and they are never shown.',
    },
    ...(draft.authentication === 's3_access_key' ? keyFields : []),
    ...(draft.authentication === 's3_assume_role' ? roleFields : []),
  ];
}

export const keyFields: readonly FieldSpec<Draft>[] = [
  { name: 'access_key_id', path: 'authentication.access_key_id', label: 'Access key ID', ...exact },
  {
    name: 'secret_access_key',
    path: 'authentication.secret_access_key',
    label: 'Secret access key',
    kind: 'password',
    ...exact,
  },
];

const roleFields: readonly FieldSpec<Draft>[] = [
  {
    name: 'role_arn',
    path: 'authentication.role_arn',
    label: 'ARN of the role',
    hint: 'The deployment settings must name the role too (storageRoleArns).',
    ...exact,
  },
  {
    name: 'external_id',
    path: 'authentication.external_id',
    label: 'External ID',
    hint: 'The external ID in the trust policy of the role.',
    ...exact,
  },
];

interface ModesProps {
  modes: Draft['allowed_data_modes'];
  onChange: (modes: Draft['allowed_data_modes']) => void;
}

/** Lets the user choose the data modes that new repositories may have. */
export function Modes({ modes, onChange }: ModesProps) {
  const id = useId();
  const fault = useFault('allowed_data_modes');
  const toggle = (mode: (typeof dataModes)[number]) =>
    onChange(dataModes.filter((each) => modes.includes(each) !== (each === mode)));
  return (
    <fieldset class="field" aria-describedby={fault && id}>
      <legend>Allowed visibility</legend>
      {dataModes.map((mode) => (
        <label class="check" key={mode}>
          <input
            type="checkbox"
            name="allowed_data_modes"
            checked={modes.includes(mode)}
            onChange={() => toggle(mode)}
          />{' '}
          {dataModeLabels[mode].name}
        </label>
      ))}
      {fault !== undefined && (
        <p class="fault" id={id}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
