import { useState } from 'preact/hooks';
import { CopyButton } from '../components/copy.tsx';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { Description, MachineEndings, Settings } from '../machines/endings.tsx';
import { type Granted, Grants } from '../machines/grants.tsx';
import { Keys } from '../machines/keys.tsx';
import { ClientSettings, useSettings } from '../machines/new-key.tsx';
import { RefusedSignIn } from '../machines/refused-sign-in.tsx';
import { loadMachine, type MachineScope } from '../machines/scope.ts';
import { type Prefilled, Workflows } from '../machines/workflows.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';

/**
 * Shows one service account: its grants, its ways to sign in, its last refused sign-in, and the settings for client
 * software.
 */
export function View({ account: { account_id, may }, parameters: { name } }: AccountViewProps) {
  const id = `${account_id}--${name}`;
  const loading: Loading<MachineScope> = useLoading(() => loadMachine(id, () => loading.reload()), [id]);
  return (
    <Loaded loading={loading}>{(scope) => <Machine key={id} scope={scope} hasTrail={may('listAuditEvents')} />}</Loaded>
  );
}

function Machine({ scope, hasTrail }: { scope: MachineScope; hasTrail: boolean }) {
  const { id, owner, account, may } = scope;
  const settings = useSettings(id);
  // The values that the form to trust a workflow starts with. They come from the notice of a refused sign-in.
  const [prefilled, setPrefilled] = useState<Prefilled>();
  const [granted, setGranted] = useState<Granted>({ s3Uri: `s3://${owner}/`, mayWrite: false });
  const { s3Uri } = granted;
  return (
    <>
      <div class="machine-id">
        <h3>{account.name}</h3>
        <span class={account.disabled ? 'badge over' : 'badge live'}>{account.disabled ? 'disabled' : 'enabled'}</span>
      </div>
      <p class="soft">
        <code>{id}</code> <CopyButton text={id} label="the ID" />
        {hasTrail && (
          <>
            {' '}
            <a href={hrefOf(`/accounts/${owner}/audit-trail?service_account_id=${id}`)}>Activity</a>
          </>
        )}
      </p>
      {account.description && <p class="lead">{account.description}</p>}
      {account.disabled && (
        <p class="notice">
          It is disabled: no software can sign in with it, and its earlier credentials no longer work. Its keys,
          workflows and grants remain.
        </p>
      )}
      <RefusedSignIn scope={scope} onTrust={setPrefilled} />
      <Grants scope={scope} onShown={setGranted} />
      <Workflows
        scope={scope}
        settings={settings}
        prefilled={prefilled}
        granted={granted}
        onDone={() => setPrefilled(undefined)}
      />
      <Keys scope={scope} settings={settings} s3Uri={s3Uri} />
      {may('getClientSettings') && (
        <section class="block">
          <h3>Client settings</h3>
          <p class="soft">
            For software that signs in with a key. For a CI job, see “CI settings” of its trusted workflow.
          </p>
          <ClientSettings id={id} settings={settings} s3Uri={s3Uri} />
        </section>
      )}
      {may('updateServiceAccount') && <Description scope={scope} />}
      <Settings scope={scope} />
      <MachineEndings scope={scope} />
    </>
  );
}
