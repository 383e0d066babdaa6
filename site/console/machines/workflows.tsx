import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { isLoopbackUrl, isRepositoryKind, type Origin, originOf } from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems, workflowFile, workflowTitles } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, useConfirm } from '../components/dialogs.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { Loaded, type Loading } from '../components/loaded.tsx';
import { endOnce } from '../components/stale.tsx';
import { texts } from '../texts.ts';
import type { Granted } from './grants.tsx';
import type { Settings } from './new-key.tsx';
import { TextBlock } from './recipe-chooser.tsx';
import type { MachineScope } from './scope.ts';
import { type RepositoryIssuer, TrustForm } from './trust-form.tsx';

type Workflow = Schemas['TrustedWorkflow'];

/** A workflow from a refused sign-in. */
export interface Prefilled {
  issuer: string;
  repository: string;
  origin: Origin;
  name: string;
  /** The ID of the workflow that this one replaces. */
  replaces: string | undefined;
  /** The result of a comparison of its numeric IDs with the trusted ones for the same name. */
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
  const { confirm, confirmDialog } = useConfirm();
  const [shown, setShown] = useState<Workflow>();
  const path = { service_account_id: id };
  const list = useList(
    (query) => api.GET('/service-accounts/{service_account_id}/trusted-workflows', { params: { path, query } }),
    [id],
  );
  const reload = () => Promise.all([list.reload(), scope.reload()]);
  const trusted = async (workflow: Workflow) => {
    onDone();
    setShown(workflow);
    await reload();
  };
  const confirmRemoval = (each: Workflow) =>
    confirm({
      title: 'Remove this workflow?',
      action: 'Remove',
      stops: [
        `Runs of ${nameOf(each)}, ${describeOrigin(each)}, can no longer sign in within one minute.`,
        'Credentials of a current run stay valid until they expire.',
        'You can trust it again.',
      ],
      onConfirm: async () => {
        const params = { path: { ...path, workflow_id: each.workflow_id } };
        const call = dataOf(
          api.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', { params }),
        );
        await endOnce(call, 'The workflow is removed.');
        await reload();
      },
    });
  return (
    <section class="block" id="workflows">
      <h3>Trusted workflows</h3>
      <p class="soft">
        A CI job signs in with the token that its CI system issues for each run. You store and rotate no secret.
      </p>
      {may('trustWorkflow') && (
        <Loaded loading={settings}>
          {({ ci_issuers }) =>
            ci_issuers.length === 0 ? (
              <p class="notice">This site accepts tokens of no CI system. Its operator can add one.</p>
            ) : (
              <TrustForm
                key={JSON.stringify(prefilled)}
                id={id}
                issuers={ci_issuers.filter(isRepositoryIssuer)}
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
        columns={[
          { title: 'Workflow', cell: (each) => <Lines of={[nameOf(each), describeOrigin(each)]} /> },
          {
            title: 'Subject',
            cell: (each) => <Lines of={[<code>{each.subject}</code>, each.issuer, describePin(each)]} />,
          },
          { title: 'Since', class: 'day', isLabeled: true, cell: (each) => formatDay(each.created_at) },
          {
            title: 'Actions',
            cell: (each) => (
              <div class="row-actions">
                <Button kind="small" label="CI settings" of={`of ${each.subject}`} onClick={() => setShown(each)} />
                {may('removeTrustedWorkflow') && (
                  <Button kind="small" label="Remove …" of={each.subject} onClick={() => confirmRemoval(each)} />
                )}
              </div>
            ),
          },
        ]}
        empty="No workflow is trusted. Trust the workflow that publishes: its repository, and its branch, tag or environment."
      />
      {confirmDialog}
      {shown !== undefined && (
        <JobDialog workflow={shown} settings={settings} granted={granted} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

/** Describes the pinned numeric IDs. A subject with numeric IDs needs no pin. */
function describePin({ pinned, repository }: Workflow): string {
  if (pinned !== null)
    return `Pinned to repository ${pinned.repository_id} of owner ${pinned.repository_owner_id} on ${formatDay(pinned.pinned_at)}`;
  return repository === undefined || repository.includes('@')
    ? 'Trusted by its numeric IDs'
    : 'Not pinned yet: its first sign-in pins the numeric IDs';
}

/** Returns true for a CI system whose subjects name a repository. */
function isRepositoryIssuer(issuer: Settings['ci_issuers'][number]): issuer is RepositoryIssuer {
  return isRepositoryKind(issuer.kind);
}

/** Returns the repository of a workflow, or the subject of another workload. */
function nameOf({ repository, subject }: Workflow): string {
  return repository ?? subject;
}

function describeOrigin(workflow: Workflow): string {
  return originOf(workflow).join(' ');
}

interface JobDialogProps {
  workflow: Workflow;
  settings: Loading<Settings>;
  granted: Granted;
  onClose: () => void;
}

/** Shows the settings for the CI job of a workflow. */
function JobDialog({ workflow, settings, granted, onClose }: JobDialogProps) {
  const [origin, name] = originOf(workflow);
  return (
    <Dialog title={`Settings for ${nameOf(workflow)}`} onClose={onClose} isWide>
      <Loaded loading={settings}>
        {({ ci_issuers, environment }) => {
          const issuer = ci_issuers.find((each) => each.issuer === workflow.issuer);
          if (issuer === undefined)
            return <p class="notice">This site no longer accepts tokens of {workflow.issuer}.</p>;
          if (!isRepositoryIssuer(issuer)) return <TextBlock title="Settings" text={issuer.job} />;
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
