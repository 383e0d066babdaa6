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
import { Form, useFault } from '../components/form.tsx';
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

/**
 * Adds a trusted workload to a service account. While the user types, the form shows the token subject that will be
 * trusted. It follows the same rules as the API.
 */
export function TrustForm({ id, issuers, prefilled, onTrusted, onCancel }: TrustFormProps) {
  const [typed, setTyped] = useState<Typed>({
    ...newTyped,
    issuer: prefilled?.issuer ?? issuers[0]?.issuer ?? '',
    repository: prefilled?.repository ?? '',
    origin: prefilled?.origin ?? 'branch',
    name: prefilled?.name ?? '',
    sub: prefilled?.claims?.['sub'] ?? '',
  });
  const [claims, setClaims] = useState<readonly ClaimRow[]>(rowsOf(prefilled?.claims));
  const [looked, setLooked] = useState<Looked>();
  const isRemoved = useRef(false);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (prefilled === undefined) return;
    details.current?.scrollIntoView({ block: 'start' });
    details.current?.querySelector('summary')?.focus({ preventScroll: true });
  }, []);
  const issuer = issuers.find((each) => each.issuer === typed.issuer) ?? issuers[0];
  if (issuer === undefined) return null;
  const workload = isRepositoryIssuer(issuer) ? workflowOf(typed, issuer, prefilled) : undefined;
  const { sub } = typed;
  const rows = withIdRows(issuer.kind, claims);
  // The prefilled values come from a refused sign-in, which an attacker may have sent. The user must confirm the name,
  // unless the repository has the same numeric IDs as a trusted one and no workflow is replaced.
  const isStrange = prefilled !== undefined && (prefilled.replaces !== undefined || prefilled.numericIds !== 'known');
  const named = workload === undefined ? sub : workload.repository;
  const isAsked = isStrange && named === (prefilled.repository ?? prefilled.claims?.['sub']);
  const what = workload === undefined ? 'subject of your workload' : 'name of your repository';
  /**
   * Returns the numeric IDs of the repository. Returns undefined if the lookup fails for the first time, so that the
   * user sees the reason before they continue.
   */
  const findIds = async (of: RepositoryIssuer, repository: string) => {
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
  const bodyOf = async () => {
    if (workload === undefined) return { claims: { sub, ...claimsOf(rows) } };
    const { foreign, repository, origin, name, subject } = workload;
    if (foreign !== undefined) throw faultAt('repository', foreign);
    // For an invalid subject, skip the lookup and send the request. The API then refuses it with a message at the right
    // field.
    const ids = subject?.ok ? await findIds(workload.issuer, repository) : {};
    return ids && { repository, [origin]: name, ...ids, ...conditionsOf(workload.issuer.kind, origin, typed) };
  };
  const trust = async () => {
    if (isAsked && typed.confirm !== named) throw faultAt('confirm', `Type the ${what}.`);
    const body = await bodyOf();
    if (body === undefined) return false;
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
    const workflow = await dataOf(
      api.POST('/service-accounts/{service_account_id}/trusted-workflows', {
        params,
        body: { issuer: issuer.issuer, ...body },
      }),
    ).catch((error) => {
      throw atField(error, 'already_trusted', workload?.origin ?? 'claims.sub');
    });
    setTyped({ ...typed, ...newTyped });
    setClaims([]);
    setLooked(undefined);
    await onTrusted(workflow);
    return true;
  };
  const words = originOptions[workload?.origin ?? 'branch'];
  const system = issuerSystems[issuer.kind];
  const isFailed = looked?.of === workload?.repository && looked?.answer.kind === 'failed';
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
          issuers.length > 1 ? (
            {
              name: 'issuer',
              label: 'CI system',
              options: issuers.map((each) => [each.issuer, `${issuerSystems[each.kind]} (${each.issuer})`] as const),
              hint: 'The system that runs the job and issues its tokens.',
            }
          ) : (
            <p>
              For a job of <strong>{system}</strong>. Its tokens come from <code>{issuer.issuer}</code>.
            </p>
          ),
          prefilled === undefined && (
            <p class="soft">
              If you do not know a name, run the job once. A refused sign-in appears on this page with its exact
              subject, and one click fills in this form.
            </p>
          ),
          workload && {
            name: 'repository',
            label: `Code repository (on ${ciSystems[workload.issuer.kind].host})`,
            isRequired: true,
            isVerbatim: true,
            hint: repositoryHints[workload.issuer.kind],
          },
          workload && hasLookup(workload.issuer) && !hasIds(typed) && (
            <LookupNote
              system={ciSystems[workload.issuer.kind].host}
              repository={workload.repository}
              looked={looked}
              onUse={(repository) => setTyped({ ...typed, repository })}
            />
          ),
          workload && isFailed && <IdFields kind={workload.issuer.kind} values={typed} onChange={setTyped} />,
          workload && {
            name: 'origin',
            label: 'Runs from',
            options: workload.issuer.origins.map((each) => [each, originOptions[each].label] as const),
            hint: 'Only these runs are trusted. There are no wildcards.',
          },
          workload && {
            name: 'name',
            path: workload.origin,
            label: words.name,
            isRequired: true,
            isVerbatim: true,
            hint: words.hint,
          },
          !isRepositoryKind(issuer.kind) && {
            name: 'sub',
            path: 'claims.sub',
            label: 'Subject',
            isRequired: true,
            isVerbatim: true,
            maxLength: 700,
            hint: subjectHints[issuer.kind as keyof typeof subjectHints],
          },
          workload ? (
            <Conditions
              kind={workload.issuer.kind}
              origin={workload.origin}
              hasIdFields={!isFailed}
              values={typed}
              onChange={setTyped}
            />
          ) : (
            <Claims rows={rows} onChange={setClaims} />
          ),
          workload && <SubjectPreview issuer={workload.issuer} origin={workload.origin} subject={workload.subject} />,
          isAsked && {
            name: 'confirm',
            label: `Confirm: type the ${what}`,
            isVerbatim: true,
            hint: `${prefilled.numericIds === 'unknown' ? 'No run of this repository has signed in here yet. ' : ''}Type it as you know it. Do not copy it from above.`,
          },
        ]}
      />
    </details>
  );
}

/** Returns true for a CI system whose token subjects contain a repository name. */
export function isRepositoryIssuer(issuer: AnyIssuer): issuer is RepositoryIssuer {
  return isRepositoryKind(issuer.kind);
}

/**
 * Returns the workflow for the typed values. It contains the trusted subject, or the reason why the values give none.
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
  // Do not show the message twice: if the API returned it, the field already shows it.
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
