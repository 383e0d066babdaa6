import { useEffect, useRef, useState } from 'preact/hooks';
import { hasLookup, isRenamed, type LookupAnswer } from '../../../lib/pages/site/machines/repository-lookup.ts';
import {
  foreignHostFault,
  isRepositoryKind,
  type Origin,
  originNameOf,
  type RepositoryKind,
  repositoryOf,
  subjectForm,
  subjectOf,
  type TypedSubject,
} from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems, issuerSystems } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField, faultAt } from '../api/problem.ts';
import { Form, type FormField, useFault } from '../components/form.tsx';
import { endOnce } from '../components/stale.tsx';
import { lookUpRepository } from './look-up-repository.ts';
import type { Settings } from './new-key.tsx';
import {
  type ClaimRow,
  Claims,
  Conditions,
  claimsOf,
  conditionsOf,
  hasIds,
  IdFields,
  idsOf,
  type Looked,
  LookupNote,
  newConditions,
  rowsOf,
  withIdRows,
} from './trust-parts.tsx';
import type { Prefilled } from './workflows.tsx';

type AnyIssuer = Settings['ci_issuers'][number];
export type RepositoryIssuer = AnyIssuer & { kind: RepositoryKind };

const originOptions: Readonly<Record<Origin, { label: string; name: string; hint: string }>> = {
  branch: {
    label: 'A branch',
    name: 'Branch',
    hint: 'Its short name, such as main. Every user who can push to it can sign in, so choose a protected branch.',
  },
  tag: { label: 'A tag', name: 'Tag', hint: 'The full name, such as v1.2. Each other tag needs its own workflow.' },
  environment: {
    label: 'An environment',
    name: 'Environment',
    hint: 'The name in the job. The token then contains the environment and not the branch. Protection rules of the environment control who may run it.',
  },
};
const repositoryHints: Readonly<Record<RepositoryKind, string>> = {
  github: 'The URL or owner/repository of the code, not of the data.',
  gitlab: 'The URL or group/project of the code, not of the data.',
};
const subjectHints: Readonly<Record<Exclude<AnyIssuer['kind'], RepositoryKind>, string>> = {
  forgejo: 'repo:<owner>/<repository>:ref:refs/heads/<branch>. The names of newer repositories contain their IDs.',
  kubernetes: 'system:serviceaccount:<namespace>:<name>, with the namespace and the name of the Pod’s service account.',
  oidc: 'The exact claim “sub” of its tokens. Decode a token of the workload to see it.',
};

interface TrustFormProps {
  id: string;
  issuers: readonly AnyIssuer[];
  prefilled: Prefilled | undefined;
  onTrusted: (workflow: Schemas['TrustedWorkflow']) => Promise<void>;
  onCancel: () => void;
}

const newTyped = { ...newConditions, repository: '', name: '', sub: '', confirm: '' };
/** The values of the form. */
type Typed = typeof newTyped & { issuer: string; origin: Origin };

/** The workload that the form describes, and the confirmation that it needs. */
interface Draft {
  issuer: AnyIssuer;
  /** The workflow of a code repository. Undefined for a workload that is identified by its claims. */
  workload: ReturnType<typeof workflowOf> | undefined;
  /** The claims of a workload without a repository, in addition to the subject. */
  rows: readonly ClaimRow[];
  /** The repository of the workload, or its subject if it has no repository. */
  named: string;
  /** The term that sentences use for the value `named`. */
  term: string;
  /**
   * True if the user must type `named` again. The prefilled values come from a refused sign-in, which an attacker may
   * have sent. The user need not confirm a repository with the same numeric IDs as a trusted one, unless a workflow is
   * replaced.
   */
  isAsked: boolean;
}

function draftOf(
  typed: Typed,
  claims: readonly ClaimRow[],
  issuer: AnyIssuer,
  prefilled: Prefilled | undefined,
): Draft {
  const workload = isRepositoryIssuer(issuer) ? workflowOf(typed, issuer, prefilled) : undefined;
  const named = workload === undefined ? typed.sub : workload.repository;
  const isStrange = prefilled !== undefined && (prefilled.replaces !== undefined || prefilled.numericIds !== 'known');
  return {
    issuer,
    workload,
    rows: withIdRows(issuer.kind, claims),
    named,
    term: workload === undefined ? 'subject of your workload' : 'name of your repository',
    isAsked: isStrange && named === (prefilled.repository ?? prefilled.claims?.['sub']),
  };
}

function typedOf(prefilled: Prefilled | undefined, issuers: readonly AnyIssuer[]): Typed {
  return {
    ...newTyped,
    issuer: prefilled?.issuer ?? issuers[0]?.issuer ?? '',
    repository: prefilled?.repository ?? '',
    origin: prefilled?.origin ?? 'branch',
    name: prefilled?.name ?? '',
    sub: prefilled?.claims?.['sub'] ?? '',
  };
}

/**
 * Adds a trusted workload to a service account. While the user types, the form shows the token subject that will be
 * trusted. It follows the same rules as the API.
 */
export function TrustForm({ id, issuers, prefilled, onTrusted, onCancel }: TrustFormProps) {
  const [typed, setTyped] = useState(typedOf(prefilled, issuers));
  const [claims, setClaims] = useState<readonly ClaimRow[]>(rowsOf(prefilled?.claims));
  const lookup = useIdLookup(typed);
  const send = useTrust(id, prefilled);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (prefilled === undefined) return;
    details.current?.scrollIntoView({ block: 'start' });
    details.current?.querySelector('summary')?.focus({ preventScroll: true });
  }, []);
  const issuer = issuers.find((each) => each.issuer === typed.issuer) ?? issuers[0];
  if (issuer === undefined) return null;
  const draft = draftOf(typed, claims, issuer, prefilled);
  const trust = async () => {
    if (draft.isAsked && typed.confirm !== draft.named) throw faultAt('confirm', `Type the ${draft.term}.`);
    const body = await bodyOf(draft, typed, lookup.findIds);
    if (body === undefined) return false;
    const workflow = await send(draft, body);
    setTyped({ ...typed, ...newTyped });
    setClaims([]);
    lookup.forget();
    await onTrusted(workflow);
    return true;
  };
  const { workload } = draft;
  return (
    <details class="create" ref={details} open={prefilled !== undefined}>
      <summary>{prefilled?.replaces === undefined ? 'Trust a workflow' : 'Trust the workflow again'}</summary>
      <Form
        onSubmit={trust}
        submitLabel="Trust this subject"
        onCancel={prefilled && onCancel}
        values={{ ...typed, origin: workload?.origin ?? typed.origin, issuer: issuer.issuer }}
        onChange={setTyped}
        fields={[
          prefilled && <PrefilledNotice {...prefilled} />,
          issuerField(issuers, issuer),
          prefilled === undefined && (
            <p class="soft">
              If you do not know a name, run the job once. A refused sign-in appears on this page with its exact
              subject, and one click fills in this form.
            </p>
          ),
          ...(workload === undefined
            ? workloadFields(draft, setClaims)
            : workflowFields(workload, { typed, setTyped, looked: lookup.looked })),
          draft.isAsked && {
            name: 'confirm',
            label: `Confirm: type the ${draft.term}`,
            isVerbatim: true,
            hint: `${prefilled?.numericIds === 'unknown' ? 'No run of this repository has signed in here yet. ' : ''}Type it as you know it. Do not copy it from above.`,
          },
        ]}
      />
    </details>
  );
}

type FindIds = (of: RepositoryIssuer, repository: string) => Promise<Readonly<Record<string, string>> | undefined>;

/** Looks up the numeric IDs of the typed repository at its host, and holds the last answer. */
function useIdLookup(typed: Typed) {
  const [looked, setLooked] = useState<Looked>();
  /**
   * Returns the numeric IDs of the repository. Returns undefined if the lookup fails for the first time, so that the
   * user sees the reason before they continue.
   */
  const findIds: FindIds = async (of, repository) => {
    if (hasIds(typed)) return idsOf(typed);
    if (!hasLookup(of) || repository.includes('@')) return {};
    const isKnown = looked?.of === repository;
    const answer: LookupAnswer = isKnown ? looked.answer : await lookUpRepository({ kind: of.kind, repository });
    setLooked({ of: repository, answer });
    if (isRenamed(repository, answer)) throw faultAt('repository', 'Type the current name of the repository.');
    if (answer.kind === 'failed') return isKnown ? {} : undefined;
    const { repository_id, repository_owner_id } = answer;
    return { repository_id, repository_owner_id };
  };
  return { looked, findIds, forget: () => setLooked(undefined) };
}

/**
 * Returns the request body for the API. Returns undefined if the user must first see why the lookup of the numeric IDs
 * failed.
 */
async function bodyOf({ workload, rows }: Draft, typed: Typed, findIds: FindIds) {
  if (workload === undefined) return { claims: { sub: typed.sub, ...claimsOf(rows) } };
  const { foreign, repository, origin, name, subject } = workload;
  if (foreign !== undefined) throw faultAt('repository', foreign);
  // For an invalid subject, skip the lookup and send the request. The API then refuses it with a message at the right
  // field.
  const ids = subject?.ok ? await findIds(workload.issuer, repository) : {};
  return ids && { repository, [origin]: name, ...ids, ...conditionsOf(workload.issuer.kind, origin, typed) };
}

/** Returns a function that trusts a workload, after it has deleted the workflow that the new one replaces. */
function useTrust(id: string, prefilled: Prefilled | undefined) {
  const isRemoved = useRef(false);
  return async ({ issuer, workload }: Draft, body: NonNullable<Awaited<ReturnType<typeof bodyOf>>>) => {
    const path = { service_account_id: id };
    // Delete the old workflow first, because the API refuses a duplicate. Its deletion is safe: the subject of the new
    // workflow was checked, so the API will accept it.
    if (prefilled?.replaces !== undefined && (workload === undefined || workload.subject?.ok) && !isRemoved.current) {
      const params = { path: { ...path, workflow_id: prefilled.replaces } };
      await endOnce(
        dataOf(api.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', { params })),
      );
      isRemoved.current = true;
    }
    const params = { path, header: onceOnly() };
    return dataOf(
      api.POST('/service-accounts/{service_account_id}/trusted-workflows', {
        params,
        body: { issuer: issuer.issuer, ...body },
      }),
    ).catch((error) => {
      throw atField(error, 'already_trusted', workload?.origin ?? 'claims.sub');
    });
  };
}

/** Returns the select for the issuer, or a sentence if there is only one issuer. */
function issuerField(issuers: readonly AnyIssuer[], issuer: AnyIssuer): FormField<Typed> {
  if (issuers.length > 1)
    return {
      name: 'issuer',
      label: 'CI system',
      options: issuers.map((each) => [each.issuer, `${issuerSystems[each.kind]} (${each.issuer})`] as const),
      hint: 'The system that runs the job and issues its tokens.',
    };
  return (
    <p>
      For a job of <strong>{issuerSystems[issuer.kind]}</strong>. Its tokens come from <code>{issuer.issuer}</code>.
    </p>
  );
}

interface WorkflowFieldsProps {
  typed: Typed;
  setTyped: (typed: Typed) => void;
  looked: Looked | undefined;
}

/** Returns the fields of a workflow in a code repository. */
function workflowFields(
  { issuer, repository, origin, subject }: NonNullable<Draft['workload']>,
  { typed, setTyped, looked }: WorkflowFieldsProps,
): readonly FormField<Typed>[] {
  const { kind } = issuer;
  const isFailed = looked?.of === repository && looked.answer.kind === 'failed';
  return [
    {
      name: 'repository',
      label: `Code repository (on ${ciSystems[kind].host})`,
      isRequired: true,
      isVerbatim: true,
      hint: repositoryHints[kind],
    },
    hasLookup(issuer) && !hasIds(typed) && (
      <LookupNote
        system={ciSystems[kind].host}
        repository={repository}
        looked={looked}
        onUse={(current) => setTyped({ ...typed, repository: current })}
      />
    ),
    isFailed && <IdFields kind={kind} values={typed} onChange={setTyped} />,
    {
      name: 'origin',
      label: 'Runs from',
      options: issuer.origins.map((each) => [each, originOptions[each].label] as const),
      hint: 'Only these runs are trusted. There are no wildcards.',
    },
    {
      name: 'name',
      path: origin,
      label: originOptions[origin].name,
      isRequired: true,
      isVerbatim: true,
      hint: originOptions[origin].hint,
    },
    <Conditions kind={kind} origin={origin} hasIdFields={!isFailed} values={typed} onChange={setTyped} />,
    <SubjectPreview issuer={issuer} origin={origin} subject={subject} />,
  ];
}

/** Returns the fields of a workload that is identified by the claims of its token. */
function workloadFields(
  { issuer, rows }: Draft,
  setClaims: (rows: readonly ClaimRow[]) => void,
): readonly FormField<Typed>[] {
  return [
    {
      name: 'sub',
      path: 'claims.sub',
      label: 'Subject',
      isRequired: true,
      isVerbatim: true,
      maxLength: 700,
      hint: subjectHints[issuer.kind as keyof typeof subjectHints],
    },
    <Claims rows={rows} onChange={setClaims} />,
  ];
}

/** Returns true for a CI system whose token subjects contain a repository name. */
export function isRepositoryIssuer(issuer: AnyIssuer): issuer is RepositoryIssuer {
  return isRepositoryKind(issuer.kind);
}

/**
 * Returns the workflow for the typed values. It contains the trusted subject, or the reason why no subject can be
 * built.
 */
function workflowOf(typed: Typed, issuer: RepositoryIssuer, prefilled: Prefilled | undefined) {
  const origin = issuer.origins.includes(typed.origin) ? typed.origin : (issuer.origins[0] ?? 'branch');
  // Do not parse a prefilled name as a URL. It comes from a token, so the author of a CI job, possibly an attacker,
  // chose it.
  const isPrefilled = typed.repository === prefilled?.repository;
  const repository = isPrefilled ? typed.repository : repositoryOf(issuer, typed.repository);
  const name = typed.name === prefilled?.name ? typed.name : originNameOf(origin, typed.name);
  const foreign = isPrefilled ? undefined : foreignHostFault(issuer, typed.repository);
  const subject: TypedSubject | undefined =
    foreign === undefined
      ? subjectOf({ kind: issuer.kind, repository, origin, name })
      : { ok: false, path: 'repository', message: foreign };
  return { issuer, origin, repository, name, foreign, subject };
}

function PrefilledNotice({ replaces, numericIds, claims }: Prefilled) {
  return (
    <>
      <p class="notice">
        These values come from the refused sign-in. <strong>The author of that job chose these names.</strong> Trust the
        workflow only if the {claims === undefined ? 'repository' : 'workload'} is yours.
        {replaces !== undefined && ' The old workflow is removed first, with its pinned numeric IDs.'}
      </p>
      {numericIds === 'changed' && (
        <p class="notice problem">
          <strong>This may be another repository.</strong> A repository with other numeric IDs is trusted here under
          this name. Numeric IDs never change, so another user may have taken over the name. Compare the IDs above with
          those of your repository.
        </p>
      )}
    </>
  );
}

interface SubjectPreviewProps {
  issuer: RepositoryIssuer;
  origin: Origin;
  subject: TypedSubject | undefined;
}

function SubjectPreview({ issuer, origin, subject }: SubjectPreviewProps) {
  const fault = useFault(subject === undefined || subject.ok ? '' : subject.path);
  // Do not show the message twice, because the field already shows a message that the API returned.
  const isShown = subject !== undefined && !subject.ok && fault?.includes(subject.message);
  return (
    <div class="subject" role="status" aria-label="The subject that will be trusted">
      <p class="soft">Only this subject will be trusted (the claim “sub” of the token)</p>
      {subject === undefined || isShown ? (
        <code class="soft">{subjectForm(issuer.kind, origin)}</code>
      ) : subject.ok ? (
        <>
          <code>{subject.subject}</code>
          <p class="soft">of {issuer.issuer}</p>
        </>
      ) : (
        <p class="fault">{`${subject.path === 'repository' ? 'The code repository' : subject.path === '' ? 'It' : originOptions[origin].name} ${subject.message}`}</p>
      )}
    </div>
  );
}
