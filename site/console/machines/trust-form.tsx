import { useEffect, useRef, useState } from 'preact/hooks';
import {
  foreignHostFault,
  type Origin,
  originNameOf,
  repositoryOf,
  subjectForm,
  subjectOf,
  type TypedSubject,
} from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField, faultAt, type Problem } from '../api/problem.ts';
import { Field, Form } from '../components/form.tsx';
import { endOnce } from '../components/stale.tsx';
import type { Settings } from './client-settings.tsx';
import type { Prefilled } from './workflows.tsx';

type Issuer = Settings['ci_issuers'][number];

const originOptions: Readonly<Record<Origin, { label: string; name: string; hint: string }>> = {
  branch: {
    label: 'A branch',
    name: 'Branch',
    hint: 'Its short name, as main. Whoever may push to it signs in: choose a protected one.',
  },
  tag: { label: 'A tag', name: 'Tag', hint: 'One whole name, as v1.2. Each further tag needs a workflow of its own.' },
  environment: {
    label: 'An environment',
    name: 'Environment',
    hint: 'As the job names it. Its token then names the environment and not the branch; protection rules of the environment say who may run it.',
  },
};
const repositoryHints: Readonly<Record<Issuer['kind'], string>> = {
  github:
    'Its URL, or owner/repository: where the code of the job is, not the data. Made after July 2026 or renamed since, it is owner@id/repository@id: https://api.github.com/repos/owner/repository shows both numbers, as owner.id and id.',
  gitlab: 'Its URL, or group/project: where the code of the job is, not the data.',
};

interface TrustFormProps {
  id: string;
  issuers: readonly Issuer[];
  prefilled: Prefilled | undefined;
  onTrusted: (workflow: Schemas['TrustedWorkflow']) => Promise<void>;
  onCancel: () => void;
}

/** Trusts one workflow. The form shows the resulting subject while the user types, by the rules of the API. */
export function TrustForm({ id, issuers, prefilled, onTrusted, onCancel }: TrustFormProps) {
  const [issuerId, setIssuerId] = useState(prefilled?.issuer ?? issuers[0]?.issuer ?? '');
  const [typedRepository, setRepository] = useState(prefilled?.repository ?? '');
  const [chosen, setOrigin] = useState<Origin>(prefilled?.origin ?? 'branch');
  const [typedName, setName] = useState(prefilled?.name ?? '');
  const [confirmed, setConfirmed] = useState('');
  const isRemoved = useRef(false);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (prefilled === undefined) return;
    details.current?.scrollIntoView({ block: 'start' });
    details.current?.querySelector('summary')?.focus({ preventScroll: true });
  }, []);
  const issuer = issuers.find((each) => each.issuer === issuerId) ?? issuers[0];
  if (issuer === undefined) return null;
  const origin = issuer.origins.includes(chosen) ? chosen : (issuer.origins[0] ?? 'branch');
  // A prefilled name is never parsed as a URL. It comes from a token, so the author of the CI job chose it.
  const repository =
    typedRepository === prefilled?.repository ? typedRepository : repositoryOf(issuer, typedRepository);
  const name = typedName === prefilled?.name ? typedName : originNameOf(origin, typedName);
  const foreign = typedRepository === prefilled?.repository ? undefined : foreignHostFault(issuer, typedRepository);
  const subject: TypedSubject | undefined =
    foreign === undefined
      ? subjectOf({ kind: issuer.kind, repository, origin, name })
      : { ok: false, path: 'repository', message: foreign };
  // A repository with trusted numeric IDs needs no confirmation. Others, and any replacement, may belong to an
  // attacker.
  const isStrange = prefilled !== undefined && (prefilled.replaces !== undefined || prefilled.numericIds !== 'known');
  const isAsked = isStrange && repository === prefilled.repository;
  const trust = async () => {
    if (isAsked && confirmed !== repository) {
      throw faultAt('confirm', 'Type the name of the repository as you know it.');
    }
    if (foreign !== undefined) throw faultAt('repository', foreign);
    const path = { service_account_id: id };
    // Delete the old workflow first, because the API refuses a duplicate. The subject is valid, so the API will accept
    // the new one.
    if (prefilled?.replaces !== undefined && subject?.ok && !isRemoved.current) {
      const params = { path: { ...path, workflow_id: prefilled.replaces } };
      await endOnce(
        dataOf(api.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', { params })),
      );
      isRemoved.current = true;
    }
    const body = { issuer: issuer.issuer, repository, [origin]: name };
    const params = { path, header: onceOnly() };
    const workflow = await dataOf(
      api.POST('/service-accounts/{service_account_id}/trusted-workflows', { params, body }),
    ).catch((error) => {
      throw atField(error, 'already_trusted', origin);
    });
    setRepository('');
    setName('');
    await onTrusted(workflow);
  };
  const words = originOptions[origin];
  const system = ciSystems[issuer.kind];
  return (
    <details class="create" ref={details} open={prefilled !== undefined}>
      <summary>{prefilled?.replaces === undefined ? 'Trust a workflow' : 'Trust the workflow again'}</summary>
      <Form onSubmit={trust} submitLabel="Trust this subject" onCancel={prefilled && onCancel}>
        {(problem) => (
          <>
            {prefilled !== undefined && (
              <p class="notice">
                Filled in from the sign-in that was refused. <strong>Whoever ran that job chose these names.</strong>{' '}
                Trust it only if the repository is yours.
                {prefilled.replaces !== undefined &&
                  ' The workflow that holds its place is removed first, with the numeric ids that it knew.'}
              </p>
            )}
            {prefilled?.numericIds === 'changed' && (
              <p class="notice problem">
                <strong>This may not be the repository that you know.</strong> One with other numeric ids is trusted
                here under this name, and ids outlive a name. Someone else may have taken it over. Compare the ids above
                with those of your repository.
              </p>
            )}
            {issuers.length > 1 ? (
              <Field
                label="CI system"
                name="issuer"
                value={issuer.issuer}
                onChange={setIssuerId}
                problem={problem}
                kind="select"
                options={issuers.map((each) => [each.issuer, `${ciSystems[each.kind].name} (${each.issuer})`] as const)}
                hint="What runs the job."
              />
            ) : (
              <p>
                For a job of <strong>{system.name}</strong>, whose tokens come from <code>{issuer.issuer}</code>.
              </p>
            )}
            {prefilled === undefined && (
              <p class="soft">
                Not sure of a name or a number? Trust what you know and run the job once. If its sign-in is refused, it
                stands on this page with the exact subject, and one press fills in this form.
              </p>
            )}
            <Field
              label={`Code repository (on ${system.host})`}
              name="repository"
              value={typedRepository}
              onChange={setRepository}
              problem={problem}
              isRequired
              isVerbatim
              hint={repositoryHints[issuer.kind]}
            />
            <Field
              label="It runs from"
              name="origin"
              value={origin}
              onChange={setOrigin}
              problem={problem}
              kind="select"
              options={issuer.origins.map((each) => [each, originOptions[each].label] as const)}
              hint="Only runs from there are trusted. There are no wildcards."
            />
            <Field
              label={words.name}
              name={origin}
              value={typedName}
              onChange={setName}
              problem={problem}
              isRequired
              isVerbatim
              hint={words.hint}
            />
            <div class="subject" role="status" aria-label="The subject that will be trusted">
              <p class="soft">Exactly this subject will be trusted (the claim “sub” of the token)</p>
              {subject === undefined || isSaid(subject, problem) ? (
                <code class="soft">{subjectForm(issuer.kind, origin)}</code>
              ) : subject.ok ? (
                <>
                  <code>{subject.subject}</code>
                  <p class="soft">of {issuer.issuer}</p>
                </>
              ) : (
                <p class="fault">{`${subject.path === 'repository' ? 'The code repository' : subject.path === '' ? 'It' : words.name} ${subject.message}`}</p>
              )}
            </div>
            {isAsked && (
              <Field
                label="The repository is mine: its name, typed"
                name="confirm"
                value={confirmed}
                onChange={setConfirmed}
                problem={problem}
                isVerbatim
                hint={`${prefilled.numericIds === 'unknown' ? 'No run of this repository has signed in here yet. ' : ''}Type it as you know it; do not copy it from above.`}
              />
            )}
          </>
        )}
      </Form>
    </details>
  );
}

/** Returns true when the field already shows this message, because the API returned it. */
function isSaid(subject: TypedSubject, problem: Problem | undefined): boolean {
  return !subject.ok && problem?.fields[subject.path]?.includes(subject.message) === true;
}
