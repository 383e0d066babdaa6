import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { isLoopbackUrl, type Origin, originOf } from '../../../lib/pages/site/machines/subject.ts';
import { ciSystems, workflowFile, workflowPlaces } from '../../../lib/pages/site/machines/workflow-file.ts';
import { answerOf, api, dataOf, pageQuery, type Schemas } from '../api/client.ts';
import { DestructiveDialog, Dialog } from '../components/dialogs.tsx';
import { List, useList } from '../components/list.tsx';
import { Loaded, type Loading } from '../components/loaded.tsx';
import { endOnce } from '../components/stale.tsx';
import { texts } from '../texts.ts';
import type { Settings } from './client-settings.tsx';
import type { Granted } from './grants.tsx';
import { TextBlock } from './recipe-chooser.tsx';
import type { MachineScope } from './scope.ts';
import { TrustForm } from './trust-form.tsx';

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
  const [removing, setRemoving] = useState<Workflow>();
  const [shown, setShown] = useState<Workflow>();
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/service-accounts/{service_account_id}/trusted-workflows', {
          params: { path: { service_account_id: id }, query: pageQuery(cursor) },
        }),
      ),
    [id],
  );
  const trusted = async (workflow: Workflow) => {
    onDone();
    setShown(workflow);
    await Promise.all([list.reload(), scope.reload()]);
  };
  const remove = async ({ workflow_id }: Workflow) => {
    const params = { path: { service_account_id: id, workflow_id } };
    const call = dataOf(
      api.DELETE('/service-accounts/{service_account_id}/trusted-workflows/{workflow_id}', { params }),
    );
    await endOnce(call, 'It is trusted no more.');
    await Promise.all([list.reload(), scope.reload()]);
  };
  const row = (each: Workflow) => (
    <>
      <td>
        {each.repository}
        <br />
        <span class="soft">{originWords(each)}</span>
      </td>
      <td>
        <code>{each.subject}</code>
        <br />
        <span class="soft">{each.issuer}</span>
        <br />
        <span class="soft">{pinWords(each)}</span>
      </td>
      <td class="day" data-label="Since">
        {formatDay(each.created_at)}
      </td>
      <td>
        <div class="row-actions">
          <button
            type="button"
            class="small"
            aria-label={`CI settings of ${each.subject}`}
            onClick={() => setShown(each)}
          >
            CI settings
          </button>
          {may('removeTrustedWorkflow') && (
            <button type="button" class="small" aria-label={`Remove ${each.subject}`} onClick={() => setRemoving(each)}>
              Remove …
            </button>
          )}
        </div>
      </td>
    </>
  );
  return (
    <section class="block" id="workflows">
      <h3>Trusted workflows</h3>
      <p class="soft">
        A CI job signs in with the token that its CI system issues for each run: there is no secret to store, and
        nothing to rotate.
      </p>
      {may('trustWorkflow') && (
        <Loaded loading={settings}>
          {({ ci_issuers }) =>
            ci_issuers.length === 0 ? (
              <p class="notice">This site takes tokens of no CI system. Whoever runs it can add one.</p>
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
        columns={['Workflow', 'Subject', 'Since', 'Change']}
        row={row}
        empty={
          <p>
            No workflow is trusted. Trust the one that publishes: its repository, and the branch, tag or environment
            that it runs from.
          </p>
        }
      />
      {removing !== undefined && (
        <DestructiveDialog
          title="Remove this workflow?"
          action="Remove"
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove(removing)}
          stops={[
            `Runs of ${removing.repository}, ${originWords(removing)}, cannot sign in any more within a minute.`,
            'Credentials that a run holds last until they expire.',
            'It can be trusted again.',
          ]}
        />
      )}
      {shown !== undefined && (
        <JobDialog workflow={shown} settings={settings} granted={granted} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

/** Describes the pinned numeric IDs. A subject with numeric IDs needs no pin. */
function pinWords({ pinned, repository }: Workflow): string {
  if (pinned !== null)
    return `Pinned to repository ${pinned.repository_id} of owner ${pinned.repository_owner_id} on ${formatDay(pinned.pinned_at)}`;
  return repository.includes('@')
    ? 'Trusted by its numeric ids'
    : 'Not pinned yet: its first sign-in pins the numeric ids';
}

function originWords(workflow: Workflow): string {
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
    <Dialog title={`Settings for ${workflow.repository}`} onClose={onClose} isWide>
      <Loaded loading={settings}>
        {({ ci_issuers, environment }) => {
          const issuer = ci_issuers.find((each) => each.issuer === workflow.issuer);
          if (issuer === undefined) return <p class="notice">This site takes tokens of {workflow.issuer} no more.</p>;
          const { kind, job } = issuer;
          const url = environment.AWS_ENDPOINT_URL_S3;
          return (
            <>
              <p>
                Put this into your code repository on {ciSystems[kind].host}, as <code>{workflowPlaces[kind]}</code>. It
                asks for a token of the run and signs in with it; none of it is secret.
              </p>
              {isLoopbackUrl(url) && (
                <p class="notice">
                  A job that runs on another machine cannot reach <code>{url}</code>, which is an address of this
                  machine alone. It works where this service has a public address.
                </p>
              )}
              <div class="recipe">
                <TextBlock place={workflowPlaces[kind]} text={workflowFile({ kind, origin, name, job, ...granted })} />
              </div>
            </>
          );
        }}
      </Loaded>
      <p class="actions">
        <button type="button" class="button" onClick={onClose}>
          {texts.close}
        </button>
      </p>
    </Dialog>
  );
}
