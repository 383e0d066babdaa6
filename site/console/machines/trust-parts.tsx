import {
  isRenamed,
  type LookupAnswer,
  type LookupFailure,
} from '../../../lib/pages/site/machines/repository-lookup.ts';
import {
  type CiProviderKind,
  idClaimsOf,
  type Origin,
  type RepositoryKind,
} from '../../../lib/pages/site/machines/subject.ts';
import { Button } from '../components/button.tsx';
import { Field, useProblem } from '../components/form.tsx';

export const newConditions = {
  repository_id: '',
  repository_owner_id: '',
  workflow_file: '',
  job_workflow: '',
  event_name: '',
  ref: '',
  ci_config: '',
};
type ConditionValues = typeof newConditions;
type ConditionName = keyof ConditionValues;

interface Words {
  label: string;
  hint: string;
}

const idWords: Readonly<Record<RepositoryKind, Readonly<Partial<Record<ConditionName, Words>>>>> = {
  github: {
    repository_id: {
      label: 'Repository ID',
      hint: 'The number “id” in https://api.github.com/repos/owner/repository.',
    },
    repository_owner_id: { label: 'Owner ID', hint: 'The number “owner.id” of the same answer.' },
  },
  gitlab: {
    repository_id: { label: 'Project ID', hint: 'The number in the menu of the project’s page.' },
    repository_owner_id: { label: 'Group ID', hint: 'The number in the menu of the page of its group.' },
  },
};

/** The optional conditions of each CI system. A condition is a token claim and the exact value that it must have. */
const conditionWords: Readonly<Record<RepositoryKind, Readonly<Partial<Record<ConditionName, Words>>>>> = {
  github: {
    workflow_file: {
      label: 'Workflow file',
      hint: 'Such as tides/code/.github/workflows/publish.yml: the claim “workflow_ref” without its ref.',
    },
    job_workflow: {
      label: 'Called workflow',
      hint: 'The whole claim “job_workflow_ref” of a reusable workflow, with its ref.',
    },
    event_name: { label: 'Event', hint: 'The event that starts the run, such as push or workflow_dispatch.' },
    ref: { label: 'Ref', hint: 'The branch or tag that the environment runs from, such as refs/heads/main.' },
  },
  gitlab: {
    ci_config: {
      label: 'Configuration file',
      hint: 'Such as gitlab.com/tides/code//.gitlab-ci.yml: the claim “ci_config_ref_uri” without its ref.',
    },
  },
};

/** Returns true if the user typed a numeric ID of the repository or of its owner. */
export function hasIds(values: ConditionValues): boolean {
  return values.repository_id !== '' || values.repository_owner_id !== '';
}

export function idsOf(values: ConditionValues): Record<string, string> {
  return filled(['repository_id', 'repository_owner_id'], values);
}

/** Returns the conditions that are visible in the form and are not empty. */
export function conditionsOf(kind: RepositoryKind, origin: Origin, values: ConditionValues): Record<string, string> {
  return filled(shownConditions(kind, origin), values);
}

function filled(names: readonly ConditionName[], values: ConditionValues): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name].trim()]).filter(([, value]) => value !== ''));
}

/**
 * Returns the names of the conditions to show. `ref` is not among them for a branch or a tag, because the subject
 * already contains it.
 */
function shownConditions(kind: RepositoryKind, origin: Origin): ConditionName[] {
  const names = Object.keys(conditionWords[kind]) as ConditionName[];
  return names.filter((name) => name !== 'ref' || origin === 'environment');
}

interface FieldsProps<Values> {
  kind: RepositoryKind;
  values: Values;
  onChange: (values: Values) => void;
}

/** Renders the fields for the numeric IDs of the repository and its owner. */
export function IdFields<Values extends ConditionValues>(props: FieldsProps<Values>) {
  return <WordFields words={idWords[props.kind]} names={['repository_id', 'repository_owner_id']} {...props} />;
}

interface ConditionsProps<Values> extends FieldsProps<Values> {
  origin: Origin;
  hasIdFields: boolean;
}

/** Renders the optional conditions. They are collapsed, unless the API has refused one of them. */
export function Conditions<Values extends ConditionValues>({ origin, hasIdFields, ...props }: ConditionsProps<Values>) {
  const { fields = {} } = useProblem() ?? {};
  const names = shownConditions(props.kind, origin);
  const isRefused = [...names, 'repository_id', 'repository_owner_id'].some((name) => name in fields);
  return (
    <details class="more" open={isRefused}>
      <summary>More conditions</summary>
      <p class="soft">Optional. A run signs in only if its token has exactly these values.</p>
      {hasIdFields && <IdFields {...props} />}
      <WordFields words={conditionWords[props.kind]} names={names} {...props} />
    </details>
  );
}

interface WordFieldsProps<Values> extends FieldsProps<Values> {
  words: Readonly<Partial<Record<ConditionName, Words>>>;
  names: readonly ConditionName[];
}

function WordFields<Values extends ConditionValues>({ words, names, values, onChange }: WordFieldsProps<Values>) {
  return names.map((name) => (
    <Field
      key={name}
      name={name}
      label={words[name]?.label ?? name}
      hint={words[name]?.hint}
      isVerbatim
      value={values[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
    />
  ));
}

/** The result of a repository lookup. `of` is the name that the user typed. */
export interface Looked {
  of: string;
  answer: LookupAnswer;
}

const failures: Readonly<Record<LookupFailure, (system: string) => string>> = {
  not_public: (system) => `${system} shows no public repository of this name.`,
  rate_limited: (system) => `${system} answers no more requests of this network for now.`,
  no_answer: (system) => `${system} did not answer.`,
  unexpected: (system) => `${system} gave an answer that cannot be used.`,
};

interface LookupNoteProps {
  /** The host name of the CI system. */
  system: string;
  repository: string;
  looked: Looked | undefined;
  onUse: (repository: string) => void;
}

/** Shows the numeric IDs that a repository lookup returned. All names in the answer are validated and escaped. */
export function LookupNote({ system, repository, looked, onUse }: LookupNoteProps) {
  const answer = looked?.of === repository ? looked.answer : undefined;
  return (
    <div class="subject" role="status" aria-label="Numeric IDs of the repository">
      {answer === undefined ? (
        <p class="soft">
          Your browser asks {system} for the numeric IDs of the repository when you trust it. They are pinned, so that a
          rename changes nothing and nobody can take over the name.
        </p>
      ) : answer.kind === 'failed' ? (
        <>
          <p>
            <strong>The numeric IDs are unknown.</strong> {failures[answer.reason](system)}
          </p>
          <p class="soft">
            Type the IDs below if you know them. Otherwise trust the subject again: its first sign-in pins them.
          </p>
        </>
      ) : isRenamed(repository, answer) ? (
        <>
          <p>
            <strong>{system} shows another name for this repository.</strong> Nothing is pinned.
          </p>
          <dl class="names">
            <dt>You typed</dt>
            <dd>
              <code>{repository}</code>
            </dd>
            <dt>{system} shows</dt>
            <dd>
              <code>{answer.name}</code>
            </dd>
          </dl>
          <p class="soft">Tokens contain the current name. Use it only if that repository is yours.</p>
          <p class="actions">
            <Button kind="small" label="Use the current name" onClick={() => onUse(answer.name)} />
          </p>
        </>
      ) : (
        <p>
          Repository {answer.repository_id} of owner {answer.repository_owner_id} will be pinned.
        </p>
      )}
    </div>
  );
}

/** A claim that the token must contain, in addition to `sub`. */
export interface ClaimRow {
  name: string;
  value: string;
}

const claimsMax = 8;

export function claimsOf(rows: readonly ClaimRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

/** Returns one row for each claim except `sub`. */
export function rowsOf({ sub: _, ...claims }: Readonly<Record<string, string>> = {}): ClaimRow[] {
  return Object.entries(claims).map(([name, value]) => ({ name, value }));
}

/** Adds an empty row for each claim that is required for this kind of CI system and has no row yet. */
export function withIdRows(kind: CiProviderKind, rows: readonly ClaimRow[]): readonly ClaimRow[] {
  const lacking = idClaimsOf(kind).filter((name) => rows.every((row) => row.name !== name));
  return [...lacking.map((name) => ({ name, value: '' })), ...rows];
}

interface ClaimsProps {
  rows: readonly ClaimRow[];
  onChange: (rows: readonly ClaimRow[]) => void;
}

/** Renders the claims that the token must contain in addition to `sub`. */
export function Claims({ rows, onChange }: ClaimsProps) {
  const set = (at: number, row: ClaimRow) => onChange(rows.map((each, index) => (index === at ? row : each)));
  return (
    <fieldset class="field claims">
      <legend>Further claims</legend>
      <p class="hint">
        At most {claimsMax}. The token must have exactly these texts. A number or a boolean is compared as its text.
      </p>
      {rows.map((row, at) => (
        <div class="claim" key={at}>
          <Field
            name={`claim-name-${at}`}
            label={`Claim ${at + 1}`}
            isVerbatim
            maxLength={64}
            value={row.name}
            onChange={(name) => set(at, { ...row, name })}
          />
          <Field
            name={`claims.${row.name.trim() || at}`}
            label={`Value ${at + 1}`}
            isVerbatim
            maxLength={700}
            value={row.value}
            onChange={(value) => set(at, { ...row, value })}
          />
          <Button
            kind="small"
            label="Remove"
            of={`claim ${at + 1}`}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {rows.length < claimsMax && (
        <Button kind="small" label="Add a claim" onClick={() => onChange([...rows, { name: '', value: '' }])} />
      )}
    </fieldset>
  );
}
