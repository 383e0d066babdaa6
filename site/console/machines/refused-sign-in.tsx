import { compareSubjects, originOf } from '../../../lib/pages/site/machines/subject.ts';
import type { Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Lines } from '../components/list.tsx';
import { notifyRefusal } from '../components/notices.tsx';
import { Minute } from '../components/time.tsx';
import { enableMachine } from './endings.tsx';
import type { MachineScope } from './scope.ts';
import type { Prefilled } from './workflows.tsx';

type Refused = NonNullable<Schemas['ServiceAccountView']['last_refused_sign_in']>;
type Remedy = NonNullable<Refused['remedy']>;

interface RefusedSignInProps {
  scope: MachineScope;
  onTrust: (prefilled: Prefilled) => void;
}

/**
 * Shows the last CI sign-in that was refused. Compares the subject of its token with the trusted subject, and says what
 * to do.
 */
export function RefusedSignIn({ scope, onTrust }: RefusedSignInProps) {
  const refused = scope.account.last_refused_sign_in;
  if (refused === undefined) return null;
  const { time, issuer, subject, trusted_subjects = [], difference, remedy } = refused;
  const [nearest] = trusted_subjects;
  const parts = nearest === undefined ? undefined : compareSubjects(subject, nearest);
  const marked = (differing: string) =>
    parts && (
      <>
        {parts.before}
        {differing !== '' && <mark>{differing}</mark>}
        {parts.after}
      </>
    );
  return (
    <section class="refused" aria-labelledby="refused-title">
      <h3 id="refused-title">A sign-in was refused</h3>
      <dl>
        <dt>When</dt>
        <dd>
          <Minute time={Date.parse(time)} />
        </dd>
        <dt>Subject of the token</dt>
        <dd>
          <Lines of={[<code>{parts ? marked(parts.came) : subject}</code>, issuer]} />
        </dd>
        <dt>Trusted subject</dt>
        <dd>
          <Lines
            of={[
              parts ? <code>{marked(parts.trusted)}</code> : 'none',
              trusted_subjects.length > 1 &&
                `the most similar of ${trusted_subjects.length === 10 ? 'ten or more' : trusted_subjects.length}`,
            ]}
          />
        </dd>
        <dt>Difference</dt>
        <dd>
          <strong>{difference}</strong>
        </dd>
      </dl>
      {remedy !== undefined && <RemedyText remedy={remedy} scope={scope} onTrust={onTrust} />}
    </section>
  );
}

function RemedyText({ remedy, scope, onTrust }: RefusedSignInProps & { remedy: Remedy }) {
  const { kind, workflow } = remedy;
  if (kind === 'try_again') return <p class="soft">The workflow is trusted now. Run the job again.</p>;
  if (kind === 'change_job') {
    return (
      <p>
        Such a run cannot be trusted. If the job is yours, run it from a branch, a tag or an environment, with the
        default subject of its CI system.
      </p>
    );
  }
  if (kind === 'enable') {
    if (!scope.account.disabled) return <p>The account {scope.owner} is disabled. Enable it in its settings.</p>;
    if (!scope.may('enableServiceAccount')) return null;
    return (
      <p class="actions">
        <Button label={`Enable ${scope.id}`} onClick={() => void enableMachine(scope).catch(notifyRefusal)} />
      </p>
    );
  }
  if (workflow === undefined || !scope.may('trustWorkflow')) return null;
  const { issuer, repository, claims } = workflow;
  const [origin, name] = originOf(workflow);
  const { replaces, numeric_ids: numericIds } = remedy;
  const prefilled = { issuer, repository, origin, name, claims, replaces, numericIds };
  return (
    <>
      <p class="soft">Any CI job on the internet can cause such an entry. If this job is yours and should sign in:</p>
      <p class="actions">
        <Button
          label={kind === 'trust_again' ? 'Remove the old workflow and trust it again …' : 'Trust this workflow …'}
          onClick={() => onTrust(prefilled)}
        />
      </p>
    </>
  );
}
