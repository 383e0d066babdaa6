import { compareSubjects, originOf } from '../../../lib/pages/site/machines/subject.ts';
import type { Schemas } from '../api/client.ts';
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

/** Shows the last refused CI sign-in: the token's subject, the trusted subject, the difference, and the remedy. */
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
        <dt>What came</dt>
        <dd>
          <code>{parts ? marked(parts.came) : subject}</code>
          <br />
          <span class="soft">{issuer}</span>
        </dd>
        <dt>What is trusted</dt>
        <dd>
          {parts ? <code>{marked(parts.trusted)}</code> : 'nothing'}
          {trusted_subjects.length > 1 && (
            <>
              <br />
              <span class="soft">{`the nearest of ${trusted_subjects.length === 10 ? 'ten and more' : trusted_subjects.length}`}</span>
            </>
          )}
        </dd>
        <dt>What differs</dt>
        <dd>
          <strong>{difference}</strong>
        </dd>
      </dl>
      {remedy !== undefined && <Mend remedy={remedy} scope={scope} onTrust={onTrust} />}
    </section>
  );
}

interface MendProps {
  remedy: Remedy;
  scope: MachineScope;
  onTrust: (prefilled: Prefilled) => void;
}

function Mend({ remedy, scope, onTrust }: MendProps) {
  const { kind, workflow } = remedy;
  if (kind === 'try_again') return <p class="soft">It is trusted by now: run the job again.</p>;
  if (kind === 'change_job') {
    return (
      <p>
        No workflow can be trusted for such a run. If the job is yours, run it from a branch, a tag or an environment,
        with the subject that its CI system gives by itself.
      </p>
    );
  }
  if (kind === 'enable') {
    if (!scope.account.disabled) return <p>The account {scope.owner} is disabled: enable it in its settings.</p>;
    if (!scope.may('enableServiceAccount')) return null;
    return (
      <p class="actions">
        <button type="button" class="button second" onClick={() => void enableMachine(scope)}>
          Enable {scope.id}
        </button>
      </p>
    );
  }
  if (workflow === undefined || !scope.may('trustWorkflow')) return null;
  const { issuer, repository } = workflow;
  const [origin, name] = originOf(workflow);
  const prefilled = { issuer, repository, origin, name, replaces: remedy.replaces, numericIds: remedy.numeric_ids };
  return (
    <>
      <p class="soft">Anybody with a CI job can have one refused here. If this one is yours and is to sign in:</p>
      <p class="actions">
        <button type="button" class="button second" onClick={() => onTrust(prefilled)}>
          {kind === 'trust_again' ? 'Remove the old one and trust it again …' : 'Trust this workflow …'}
        </button>
      </p>
    </>
  );
}
