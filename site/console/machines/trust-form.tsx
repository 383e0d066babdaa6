import { useEffect, useRef, useState } from 'preact/hooks';
import {
  foreignHostFault,
  type Origin,
  originNameOf,
  type RepositoryKind,
  repositoryOf,
  subjectForm,
  subjectOf,
  type TypedSubject,
} from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField, faultAt } from '../api/problem.ts';
import { Form, useFault } from '../components/form.tsx';
import { endOnce } from '../components/stale.tsx';
import type { Settings } from './new-key.tsx';
import type { Prefilled } from './workflows.tsx';

export type RepositoryIssuer = Settings['ci_issuers'][number] & { kind: RepositoryKind };

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
  github:
    'The URL or owner/repository of the code, not of the data. A repository that was created or renamed after July 2026 has the form owner@id/repository@id. https://api.github.com/repos/owner/repository shows both numbers, as owner.id and id.',
  gitlab: 'The URL or group/project of the code, not of the data.',
};

interface TrustFormProps {
  id: string;
  issuers: readonly RepositoryIssuer[];
  prefilled: Prefilled | undefined;
  onTrusted: (workflow: Schemas['TrustedWorkflow']) => Promise<void>;
  onCancel: () => void;
}

/** The values of the form. */
interface Typed {
  issuer: string;
  repository: string;
  origin: Origin;
  name: string;
  confirm: string;
}

/** Trusts one workflow. The form shows the resulting subject while the user types, by the rules of the API. */
export function TrustForm({ id, issuers, prefilled, onTrusted, onCancel }: TrustFormProps) {
  const [typed, setTyped] = useState<Typed>({
    issuer: prefilled?.issuer ?? issuers[0]?.issuer ?? '',
    repository: prefilled?.repository ?? '',
    origin: prefilled?.origin ?? 'branch',
    name: prefilled?.name ?? '',
    confirm: '',
  });
  const isRemoved = useRef(false);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (prefilled === undefined) return;
    details.current?.scrollIntoView({ block: 'start' });
    details.current?.querySelector('summary')?.focus({ preventScroll: true });
  }, []);
  const issuer = issuers.find((each) => each.issuer === typed.issuer) ?? issuers[0];
  if (issuer === undefined) return null;
  const { repository, origin, name, foreign, subject } = workflowOf(typed, issuer, prefilled);
  // A repository with trusted numeric IDs needs no confirmation. Others, and any replacement, may belong to an
  // attacker.
  const isStrange = prefilled !== undefined && (prefilled.replaces !== undefined || prefilled.numericIds !== 'known');
  const isAsked = isStrange && repository === prefilled.repository;
  const trust = async () => {
    if (isAsked && typed.confirm !== repository) {
      throw faultAt('confirm', 'Type the name of your repository.');
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
    setTyped({ ...typed, repository: '', name: '' });
    await onTrusted(workflow);
  };
  const words = originOptions[origin];
  const system = ciSystems[issuer.kind];
  return (
    <details class="create" ref={details} open={prefilled !== undefined}>
      <summary>{prefilled?.replaces === undefined ? 'Trust a workflow' : 'Trust the workflow again'}</summary>
      <Form
        onSubmit={trust}
        submitLabel="Trust this subject"
        onCancel={prefilled && onCancel}
        values={{ ...typed, origin, issuer: issuer.issuer }}
        onChange={setTyped}
        fields={[
          prefilled && <PrefilledNotice {...prefilled} />,
          issuers.length > 1 ? (
            {
              name: 'issuer',
              label: 'CI system',
              options: issuers.map((each) => [each.issuer, `${ciSystems[each.kind].name} (${each.issuer})`] as const),
              hint: 'The system that runs the job.',
            }
          ) : (
            <p>
              For a job of <strong>{system.name}</strong>. Its tokens come from <code>{issuer.issuer}</code>.
            </p>
          ),
          prefilled === undefined && (
            <p class="soft">
              If you do not know a name or a number, run the job once. A refused sign-in appears on this page with its
              exact subject, and one click fills in this form.
            </p>
          ),
          {
            name: 'repository',
            label: `Code repository (on ${system.host})`,
            isRequired: true,
            isVerbatim: true,
            hint: repositoryHints[issuer.kind],
          },
          {
            name: 'origin',
            label: 'Runs from',
            options: issuer.origins.map((each) => [each, originOptions[each].label] as const),
            hint: 'Only these runs are trusted. There are no wildcards.',
          },
          { name: 'name', path: origin, label: words.name, isRequired: true, isVerbatim: true, hint: words.hint },
          <SubjectPreview issuer={issuer} origin={origin} subject={subject} />,
          isAsked && {
            name: 'confirm',
            label: 'Confirm: type the name of your repository',
            isVerbatim: true,
            hint: `${prefilled.numericIds === 'unknown' ? 'No run of this repository has signed in here yet. ' : ''}Type the name as you know it. Do not copy it from above.`,
          },
        ]}
      />
    </details>
  );
}

/** Returns the workflow for the typed values, with the subject or the reason why there is none. */
function workflowOf(typed: Typed, issuer: RepositoryIssuer, prefilled: Prefilled | undefined) {
  const origin = issuer.origins.includes(typed.origin) ? typed.origin : (issuer.origins[0] ?? 'branch');
  // A prefilled name is never parsed as a URL. It comes from a token, so the author of the CI job chose it.
  const isPrefilled = typed.repository === prefilled?.repository;
  const repository = isPrefilled ? typed.repository : repositoryOf(issuer, typed.repository);
  const name = typed.name === prefilled?.name ? typed.name : originNameOf(origin, typed.name);
  const foreign = isPrefilled ? undefined : foreignHostFault(issuer, typed.repository);
  const subject: TypedSubject | undefined =
    foreign === undefined
      ? subjectOf({ kind: issuer.kind, repository, origin, name })
      : { ok: false, path: 'repository', message: foreign };
  return { origin, repository, name, foreign, subject };
}

function PrefilledNotice({ replaces, numericIds }: Prefilled) {
  return (
    <>
      <p class="notice">
        These values come from the refused sign-in. <strong>The author of that job chose these names.</strong> Trust the
        workflow only if the repository is yours.
        {replaces !== undefined && ' The old workflow is removed first, with its pinned numeric IDs.'}
      </p>
      {numericIds === 'changed' && (
        <p class="notice problem">
          <strong>This may be another repository.</strong> A repository with other numeric IDs is trusted here under
          this name. Numeric IDs never change, so another person may have taken over the name. Compare the IDs above
          with those of your repository.
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
  // The field may already show this message, because the API returned it.
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
