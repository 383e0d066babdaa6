import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { isLoopbackUrl, isSameRepository, type Origin, originOf } from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems, workflowFile, workflowTitles } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, useConfirm } from '../components/dialogs.tsx';
import { type Column, Lines, List, useList } from '../components/list.tsx';
import { Loaded, type Loading } from '../components/loaded.tsx';
import { endOnce } from '../components/stale.tsx';
import { Minute } from '../components/time.tsx';
import { texts } from '../texts.ts';
import { endingQuery, isEndingIn, notifyEnding, sessionsQuestion } from './end-sessions.ts';
import type { Granted } from './grants.tsx';
import type { Settings } from './new-key.tsx';
import { TextBlock } from './recipe-chooser.tsx';
import type { MachineScope } from './scope.ts';
import { isRepositoryIssuer, TrustForm } from './trust-form.tsx';

type Workflow = Schemas['TrustedWorkflow'];
type Listed = Schemas['ListedTrustedWorkflow'];

/** The values of a workflow from a refused sign-in. The form to trust a workflow starts with them. */
export interface Prefilled {
  issuer: string;
  /** The name of the code repository. Undefined for a workload that is identified only by its token's subject. */
  repository?: string | undefined;
  origin: Origin;
  name: string;
  /** The claims, including `sub`, of a workload without a repository. */
  claims?: Readonly<Record<string, string>> | undefined;
  /** The ID of the trusted workflow that the new workflow replaces. */
  replaces: string | undefined;
  /** The result of comparing the numeric IDs in the token with those of a trusted repository of the same name. */
  numericIds: 'known' | 'unknown' | 'changed' | undefined;
}

interface WorkflowsProps {
  scope: MachineScope;
  settings: Loading<Settings>;
  prefilled: Prefilled | undefined;
  granted: Granted;
  onDone: () => void;
}

/** Manages the CI workflows that sign in as a service account without a secret. */
export function Workflows({ scope, settings, prefilled, granted, onDone }: WorkflowsProps) {
  const { id, may } = scope;
  const [shown, setShown] = useState<Workflow>();
  const path = { service_account_id: id };
  const list = useList(
    (query) => api.GET('/service-accounts/{service_account_id}/trusted-workflows', { params: { path, query } }),
    [id],
  );
  // The list shows what a workflow still needs to sign in. This depends on the grants and the account's settings, so
  // load the list again when they change.
  useEffect(() => {
    if (list.state.value.kind !== 'loading') void list.reload();
  }, [granted, scope.etag]);
  const reload = () => Promise.all([list.reload(), scope.reload()]);
  const { confirmRemoval, confirmDialog } = useRemoval(scope, reload);
  const trusted = async (workflow: Workflow) => {
    onDone();
    setShown(workflow);
    await reload();
  };
  return (
    <section class="block" id="workflows">
      <h3>Trusted workflows</h3>
      <p class="soft">
        A CI job or another workload signs in with the token that its own system issues. You store and rotate no secret.
      </p>
      {may('trustWorkflow') && (
        <Loaded loading={settings}>
          {({ ci_issuers }) =>
            ci_issuers.length === 0 ? (
              <p class="notice">
                This site accepts tokens of no CI system. Its operator can add one, and an owner of the account can
                register an issuer in the settings of the account.
              </p>
            ) : (
              <TrustForm
                key={JSON.stringify(prefilled)}
                id={id}
                issuers={ci_issuers}
                prefilled={prefilled}
                onTrusted={trusted}
                onCancel={onDone}
              />
            )
          }
        </Loaded>
      )}
      <List
        list={list}
        label="Trusted workflows"
        columns={workflowColumns(scope, { onShow: setShown, onRemove: confirmRemoval })}
        empty="No workflow is trusted. Trust the workflow that publishes: its repository, and its branch, tag or environment."
      />
      {confirmDialog}
      {shown !== undefined && (
        <JobDialog workflow={shown} settings={settings} granted={granted} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

/** Returns the action that removes a workflow, with a dialog that explains what stops working. */
function useRemoval(scope: MachineScope, reload: () => Promise<unknown>) {
  const { confirm, confirmDialog } = useConfirm();
  const sessions = sessionsQuestion(scope, 'workflow');
  const confirmRemoval = (each: Workflow) =>
    confirm({
      title: 'Remove this workflow?',
      action: 'Remove',
      stops: [
        `${[`Runs of ${nameOf(each)}`, describeOrigin(each)].filter(Boolean).join(', ')}, can no longer sign in within one minute.`,
        sessions.sentence,
        'You can trust it again.',
      ],
      choices: sessions.choices,
      onConfirm: async (chosen) => {
        const params = {
          path: { service_account_id: scope.id, workflow_id: each.workflow_id },
          query: endingQuery(isEndingIn(chosen)),
        };
        const call = dataOf(
          api.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', { params }),
        );
        await endOnce(call.then((ending) => notifyEnding('The workflow is removed.', ending)));
        await reload();
      },
    });
  return { confirmRemoval, confirmDialog };
}

interface WorkflowActions {
  onShow: (workflow: Workflow) => void;
  onRemove: (workflow: Workflow) => void;
}

function workflowColumns({ may }: MachineScope, { onShow, onRemove }: WorkflowActions): readonly Column<Listed>[] {
  return [
    {
      title: 'Workflow',
      cell: (each) => <Lines of={[nameOf(each), describeOrigin(each), currentName(each), ...describeMissing(each)]} />,
    },
    {
      title: 'Subject',
      class: 'lines',
      cell: (each) => (
        <Lines of={[<code>{each.subject}</code>, each.issuer, describePin(each), ...describeConditions(each)]} />
      ),
    },
    {
      title: 'Last used',
      class: 'day',
      isLabeled: true,
      cell: ({ last_used_at, created_at }) => (
        <Lines of={[last_used_at === null ? 'Never' : formatDay(last_used_at), `trusted ${formatDay(created_at)}`]} />
      ),
    },
    {
      title: 'Actions',
      cell: (each) => (
        <div class="row-actions">
          <Button kind="small" label="CI settings" of={`of ${each.subject}`} onClick={() => onShow(each)} />
          {may('removeTrustedWorkflow') && (
            <Button kind="small" label="Remove …" of={each.subject} onClick={() => onRemove(each)} />
          )}
        </div>
      ),
    },
  ];
}

/**
 * Describes the numeric IDs to which a workflow's repository is pinned. Workloads without a repository have no such
 * IDs.
 */
function describePin({ pinned, repository }: Workflow): ComponentChildren {
  if (repository === undefined) return undefined;
  if (pinned === null) return 'Not pinned yet: its first sign-in pins the numeric IDs';
  return (
    <>
      Pinned to repository {pinned.repository_id} of owner {pinned.repository_owner_id},{' '}
      <Minute time={Date.parse(pinned.pinned_at)} />
    </>
  );
}

/** Returns the repository's name at the last sign-in, if the repository was renamed after a user trusted it. */
function currentName({ repository, last_used_as }: Workflow): ComponentChildren {
  const isSame = repository === undefined || last_used_as === null || isSameRepository(repository, last_used_as);
  return !isSame && <>Last signed in as {last_used_as}</>;
}

const missingTexts: Readonly<Record<Listed['missing'][number], string>> = {
  account: 'The account is disabled: no run can sign in.',
  service_account: 'The service account is disabled: no run can sign in.',
  issuer: 'Its issuer is not registered under this kind: no run can sign in.',
  issuer_keys: 'The keys of its issuer are outdated: no run can sign in.',
  grant: 'No repository is granted: a run can read only open data.',
};

/** Describes each condition that is not yet met for the workflow to sign in. */
function describeMissing({ missing }: Listed): ComponentChildren[] {
  return missing.map((part) => <strong>{missingTexts[part]}</strong>);
}

/** Describes each optional condition, and each claim in addition to the subject. */
function describeConditions(workflow: Workflow): ComponentChildren[] {
  const { workflow_file, job_workflow, event_name, ref, ci_config, claims = {} } = workflow;
  const { sub: _, ...others } = claims;
  return Object.entries({ workflow_file, job_workflow, event_name, ref, ci_config, ...others })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (
      <>
        {name}: <code>{value}</code>
      </>
    ));
}

/** Returns the name of the workflow's repository, or the token subject of a workload without a repository. */
function nameOf({ repository, subject }: Workflow): string {
  return repository ?? subject;
}

/** Describes the branch, tag, or environment. Returns an empty text for a workload without one. */
function describeOrigin(workflow: Workflow): string {
  return workflow.repository === undefined ? '' : originOf(workflow).join(' ');
}

interface JobDialogProps {
  workflow: Workflow;
  settings: Loading<Settings>;
  granted: Granted;
  onClose: () => void;
}

/** Shows the settings to add to the CI job of a workflow. */
function JobDialog({ workflow, settings, granted, onClose }: JobDialogProps) {
  const [origin, name] = originOf(workflow);
  return (
    <Dialog title={`Settings for ${nameOf(workflow)}`} onClose={onClose} isWide>
      <Loaded loading={settings}>
        {({ ci_issuers, environment }) => {
          const issuer = ci_issuers.find((each) => each.issuer === workflow.issuer);
          if (issuer === undefined)
            return <p class="notice">This site no longer accepts tokens of {workflow.issuer}.</p>;
          if (!isRepositoryIssuer(issuer)) return <WorkloadSettings kind={issuer.kind} job={issuer.job} />;
          const { kind, job } = issuer;
          const url = environment.AWS_ENDPOINT_URL_S3;
          return (
            <>
              <p>
                Save this file in your code repository on {ciSystems[kind].host} as <code>{workflowTitles[kind]}</code>.
                It requests a token of the run and signs in with it. The file contains no secret.
              </p>
              {isLoopbackUrl(url) && (
                <p class="notice">
                  A job on another machine cannot reach <code>{url}</code>. It is the local URL of this machine.
                </p>
              )}
              <div class="recipe">
                <TextBlock title={workflowTitles[kind]} text={workflowFile({ kind, origin, name, job, ...granted })} />
              </div>
            </>
          );
        }}
      </Loaded>
      <p class="actions">
        <Button kind="button" label={texts.close} onClick={onClose} />
      </p>
    </Dialog>
  );
}

const workloadTexts = {
  forgejo: {
    title: 'Part of the job',
    text: 'Add these parts to the job in its workflow file. The job requests a token and writes it to a file. The settings contain no secret.',
  },
  kubernetes: {
    title: 'Part of the Pod’s specification',
    text: 'Add these parts to the specification of the Pod. The cluster writes a token to the file and renews it. The settings contain no secret.',
  },
  oidc: {
    title: 'Environment of the workload',
    text: 'Set these variables for the software, and write its token to the file. The settings contain no secret.',
  },
} as const;

/** Shows the settings of a workload that is not a job of GitHub or GitLab. */
function WorkloadSettings({ kind, job }: { kind: Workflow['kind']; job: string }) {
  const { title, text } = workloadTexts[kind as keyof typeof workloadTexts];
  return (
    <>
      <p>{text}</p>
      <div class="recipe">
        <TextBlock title={title} text={job} />
      </div>
    </>
  );
}
