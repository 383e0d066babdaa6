import { useId, useState } from 'preact/hooks';
import { basePrefixOf } from '../../../lib/pages/site/typed-fields.ts';
import { atField, type Problem } from '../api/problem.ts';
import { Field, Form } from '../components/form.tsx';
import type { ShownField } from '../components/stale.tsx';
import { dataModeLabels, dataModes, modeNames } from '../views/data-modes.ts';
import type { Draft } from './connection-draft.ts';
import { flagLabel, flagOptions, placing, usageLabels, usageOptions } from './connection-labels.ts';

interface ConnectionFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  submitLabel: string;
  /** The submit handler of the form. */
  onSubmit: () => Promise<unknown>;
  /** True for an existing connection: its ID is fixed, and its credentials can stay unchanged. */
  isStored?: boolean | undefined;
}

/** The fields that users compare. Credentials are omitted, because they are never shown. */
export const connectionFields: readonly ShownField[] = [
  { name: 'name', label: 'Name' },
  { name: 'endpoint', label: 'Endpoint' },
  { name: 'region', label: 'Region' },
  { name: 'bucket', label: 'Bucket' },
  { name: 'base_prefix', label: 'Base prefix' },
  { name: 'prefix_template', label: 'Place of a repository' },
  { name: 'read_only', label: 'What for', words: usageLabels },
  { name: 'allowed_data_modes', label: 'Repositories on it may be', words: modeNames },
  { name: 'required_flag', label: placing, words: flagLabel },
];

/** Shows the refusal `place_taken` at the base prefix, where the user can correct the overlap. */
export function placeAtField(error: unknown): never {
  throw atField(error, 'place_taken', 'details.base_prefix');
}

type TextName = Exclude<keyof Draft, 'allowed_data_modes'>;

/** Edits a connection's location, use, and credentials. */
export function ConnectionForm({ draft, onChange, submitLabel, onSubmit, isStored }: ConnectionFormProps) {
  // An S3-compatible store outside AWS needs an endpoint. The form shows the field only then.
  const [isChosen, setChosen] = useState(draft.endpoint !== '');
  const isElsewhere = isChosen || draft.endpoint !== '';
  const set = (name: TextName) => (value: string) => onChange({ ...draft, [name]: value });
  const text = (name: TextName, path: string, label: string, problem: Problem | undefined, more: object = {}) => (
    <Field label={label} name={path} value={draft[name]} onChange={set(name)} problem={problem} isVerbatim {...more} />
  );
  const chooseStore = (value: string) => {
    setChosen(value === 'elsewhere');
    if (value === 'aws') onChange({ ...draft, endpoint: '' });
  };
  return (
    <Form onSubmit={onSubmit} submitLabel={submitLabel}>
      {(problem) => (
        <>
          {text('name', 'name', 'Name', problem, {
            isRequired: true,
            isVerbatim: false,
            hint: 'People who make a repository choose by it.',
          })}
          {!isStored &&
            text('data_connection_id', 'data_connection_id', 'Connection ID', problem, {
              isRequired: true,
              maxLength: 40,
              hint: 'It cannot be changed.',
            })}
          <Field
            label="Storage"
            name="store"
            kind="select"
            value={isElsewhere ? 'elsewhere' : 'aws'}
            onChange={chooseStore}
            options={[
              ['aws', 'Amazon S3'],
              ['elsewhere', 'Another S3-compatible storage'],
            ]}
          />
          {isElsewhere &&
            text('endpoint', 'details.endpoint', 'Endpoint', problem, {
              kind: 'url',
              isRequired: true,
              hint: 'An https URL of a public host, such as https://s3.example.org, without a path.',
            })}
          {text('region', 'details.region', 'Region', problem, {
            isRequired: true,
            hint: isElsewhere ? 'As the storage names it, such as auto.' : 'Of the bucket, such as eu-west-1.',
          })}
          {text('bucket', 'details.bucket', 'Bucket', problem, { isRequired: true })}
          {text('base_prefix', 'details.base_prefix', 'Base prefix', problem, {
            taken: basePrefixOf(draft.base_prefix),
            hint: 'Everything is placed below it. Empty, or segments with “/” after each. Choose one below which there is nothing. Where another connection uses the same bucket, begin with what no account ID can be, such as “_archive/”.',
          })}
          {text('prefix_template', 'prefix_template', 'Place of a repository', problem, {
            hint: (
              <>
                Below the base prefix. Empty for{' '}
                <code>{'{{repository.account_id}}/{{repository.repository_id}}/'}</code>.
              </>
            ),
          })}
          <Field
            label="What for"
            name="read_only"
            kind="select"
            value={draft.read_only}
            onChange={set('read_only')}
            options={usageOptions}
            problem={problem}
          />
          <Modes draft={draft} onChange={onChange} problem={problem} />
          <Field
            label={isStored ? placing : `${placing}, once it works`}
            name="required_flag"
            kind="select"
            value={draft.required_flag}
            onChange={set('required_flag')}
            options={flagOptions}
            problem={problem}
          />
          <Credentials draft={draft} onChange={onChange} problem={problem} isStored={isStored} />
        </>
      )}
    </Form>
  );
}

interface PartProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  problem: Problem | undefined;
  isStored?: boolean | undefined;
}

function Modes({ draft, onChange, problem }: PartProps) {
  const id = useId();
  const fault = problem?.fields['allowed_data_modes'];
  const toggle = (mode: (typeof dataModes)[number]) =>
    onChange({
      ...draft,
      allowed_data_modes: dataModes.filter((each) => draft.allowed_data_modes.includes(each) !== (each === mode)),
    });
  return (
    <fieldset class="field" aria-describedby={fault && id}>
      <legend>Repositories on it may be</legend>
      {dataModes.map((mode) => (
        <label class="check" key={mode}>
          <input
            type="checkbox"
            name="allowed_data_modes"
            checked={draft.allowed_data_modes.includes(mode)}
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

function Credentials({ draft, onChange, problem, isStored }: PartProps) {
  const set = (name: TextName) => (value: string) => onChange({ ...draft, [name]: value });
  const field = (
    name: 'access_key_id' | 'secret_access_key' | 'role_arn' | 'external_id',
    label: string,
    more = {},
  ) => (
    <Field
      label={label}
      name={`authentication.${name}`}
      value={draft[name]}
      onChange={set(name)}
      problem={problem}
      isVerbatim
      isRequired
      {...more}
    />
  );
  const options = [
    ...(isStored ? [['kept', 'As they are stored'] as const] : []),
    ['s3_access_key', 'An access key'] as const,
    ['s3_assume_role', 'A role of AWS that the data proxy assumes'] as const,
    ...(isStored ? [] : [['none', 'None: anybody can read the bucket'] as const]),
  ];
  return (
    <>
      <Field
        label="Credentials"
        name="authentication"
        kind="select"
        value={draft.authentication}
        onChange={set('authentication')}
        options={options}
        problem={problem}
        hint="They are stored encrypted. Nobody but the data proxy uses them, and people see none of them."
      />
      {draft.authentication === 's3_access_key' && (
        <>
          {field('access_key_id', 'Access key ID')}
          {field('secret_access_key', 'Secret access key', { kind: 'password' })}
        </>
      )}
      {draft.authentication === 's3_assume_role' && (
        <>
          {field('role_arn', 'ARN of the role', {
            hint: 'The settings of the deployment must name it too (storageRoleArns).',
          })}
          {field('external_id', 'External ID', { hint: 'As the trust policy of the role asks for it.' })}
        </>
      )}
    </>
  );
}
