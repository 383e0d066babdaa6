import { useState } from 'preact/hooks';
import { counted } from '../../../lib/pages/site/format.ts';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import { doiOf } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { Properties } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import { useBusy } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { Freezing, useVersion, type VersionPath, VersionState } from './version-parts.tsx';

type Version = Schemas['VersionView'];

interface PartProps {
  version: Version;
  path: VersionPath;
  reload: () => Promise<void>;
}

/** Shows one version of a repository, its DOI, and its verification, and lets managers withdraw it. */
export function View({ repository: scope, parameters: { name: version_name = '' } }: RepositoryViewProps) {
  const { account_id, repository_id } = scope;
  const path = { account_id, repository_id, version_name };
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/versions/{version_name}', { params: { path } })),
    [account_id, repository_id, version_name],
  );
  return (
    <Loaded loading={loading}>
      {(version) => <One scope={scope} version={version} path={path} reload={loading.reload} />}
    </Loaded>
  );
}

function One({ scope, version, path, reload }: PartProps & { scope: RepositoryScope }) {
  const { repository, data, may } = scope;
  const { name, state, notes, created_at, index_sha256, doi } = version;
  const [isAsked, ask] = useState(false);
  const isPublic = repository.data_mode === 'open' && !repository.disabled;
  const page = repositoryPath({ ...path, shownVersion: { name } });
  const uri = `${data.s3_uri.replace(/\/$/, '')}@${name}/`;
  const mayManage = may('withdrawVersion');
  return (
    <>
      <h2>Version {name}</h2>
      {notes && <p class="lead">{notes}</p>}
      <Properties
        rows={[
          [
            'State',
            state === 'freezing' ? <Freezing path={path} onEnd={reload} /> : <VersionState version={version} />,
          ],
          ['Requested', <Minute time={Date.parse(created_at)} />],
          isPublic &&
            (state === 'ready' || state === 'withdrawn') && [
              'Page',
              <>
                <a href={page}>{location.host + page}</a> <CopyButton text={location.origin + page} label="the link" />
              </>,
            ],
          state === 'ready' && [
            'For S3 tools',
            <>
              <code>{uri}</code> <CopyButton text={uri} label="the S3 URI" />
            </>,
          ],
          index_sha256 !== undefined && ['SHA-256 of the manifest', <code>{index_sha256}</code>],
          doi !== undefined && ['DOI', `${doi.doi} (${doiStates[doi.state]})`],
        ]}
      />
      {mayManage && (state === 'ready' || state === 'withdrawn') && (
        <Doi version={version} path={path} reload={reload} />
      )}
      {state === 'ready' && (version.verification !== undefined || mayManage) && (
        <Verification version={version} path={path} reload={reload} mayManage={mayManage} />
      )}
      {state === 'ready' && mayManage && (
        <section class="block endings">
          <h3>Withdraw</h3>
          <div class="ending">
            <p>Nobody can read the files of a withdrawn version. Its page remains, with your reason.</p>
            <Button kind="button second ends" label="Withdraw …" onClick={() => ask(true)} />
          </div>
        </section>
      )}
      {isAsked && <WithdrawDialog path={path} onClose={() => ask(false)} onDone={reload} />}
    </>
  );
}

const doiStates: Readonly<Record<Schemas['VersionDoi']['state'], string>> = {
  typed: 'registered elsewhere',
  draft: 'reserved at DataCite, not published yet',
  findable: 'registered with DataCite',
};

/** Sets a DOI that was registered elsewhere, or registers one with DataCite. */
function Doi({ version: { doi }, path, reload }: PartProps) {
  const { run, busy } = useBusy();
  const [values, setValues] = useState({ doi: doi?.source === 'typed' ? doi.doi : '' });
  const isRegistered = doi?.source === 'datacite';
  const save = async () => {
    const body = { doi: doiOf(values.doi) };
    await dataOf(
      api.PUT('/repositories/{account_id}/{repository_id}/versions/{version_name}/doi', { params: { path }, body }),
    );
    notify(body.doi === '' ? 'The DOI is removed.' : 'The DOI is saved.');
    await reload();
  };
  const register = async () => {
    const call = api.POST('/repositories/{account_id}/{repository_id}/versions/{version_name}/doi/register', {
      params: { path },
    });
    await dataOf(call).then(() => notify('DataCite has the metadata of this version.'), notifyRefusal);
    await reload();
  };
  return (
    <section class="block">
      <h3>DOI</h3>
      <p class="soft">
        {isRegistered
          ? 'After a change of the title, license, or account, send the new metadata to DataCite.'
          : 'A DOI leads to the page of this version, and stays valid when the page moves.'}
      </p>
      {!isRegistered && (
        <Form
          onSubmit={save}
          submitLabel="Save DOI"
          values={values}
          onChange={setValues}
          fields={[
            {
              name: 'doi',
              label: 'DOI that was registered elsewhere',
              isVerbatim: true,
              maxLength: 255,
              taken: doiOf(values.doi),
              hint: 'For example 10.5281/zenodo.1234567. Leave it empty to remove the DOI.',
            },
          ]}
        />
      )}
      {doi?.source !== 'typed' && (
        <p>
          <Button
            label={isRegistered ? 'Send metadata to DataCite' : 'Register a DOI with DataCite'}
            {...busy}
            onClick={() => void run(register)}
          />
        </p>
      )}
    </section>
  );
}

/** Shows the result of the last verification, and lets managers start one. */
function Verification({ version, path, reload, mayManage }: PartProps & { mayManage: boolean }) {
  const { verification } = version;
  const { run, busy } = useBusy();
  const start = async () => {
    const call = api.POST('/repositories/{account_id}/{repository_id}/versions/{version_name}/verify', {
      params: { path },
    });
    await dataOf(call).catch(notifyRefusal);
    await reload();
  };
  const isRunning = verification?.state === 'running';
  return (
    <section class="block" id="verification">
      <h3>Verification</h3>
      <p class="soft">
        A verification asks the storage for each file of the version, and finds those that are missing or changed.
      </p>
      {isRunning ? <Verifying path={path} reload={reload} /> : verification && <Result of={verification} />}
      {mayManage && !isRunning && (
        <p>
          <Button
            label={verification === undefined ? 'Verify this version' : 'Verify again'}
            {...busy}
            onClick={() => void run(start)}
          />
        </p>
      )}
    </section>
  );
}

function Verifying({ path, reload }: Pick<PartProps, 'path' | 'reload'>) {
  const version = useVersion(path, ({ verification }) => verification?.state === 'running', reload);
  return <p role="status">Verifying: {counted(version?.verification?.checked ?? 0, 'file')} checked so far.</p>;
}

function Result({ of }: { of: Schemas['VersionVerification'] }) {
  const { state, finished_at, checked, missing, changed, problems, message } = of;
  const isIntact = missing + changed === 0;
  return (
    <>
      {state === 'failed' ? (
        <p class="notice problem">{message}</p>
      ) : (
        <p class={isIntact ? undefined : 'notice problem'}>
          {isIntact
            ? `The storage has all ${counted(checked, 'file')} unchanged.`
            : `Of ${counted(checked, 'file')}, ${missing} are missing in the storage and ${changed} have changed.`}
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map(({ key, problem }) => (
            <li key={key}>
              <code>{key}</code>: {problem}
            </li>
          ))}
          {problems.length < missing + changed && <li>and {missing + changed - problems.length} more</li>}
        </ul>
      )}
      {finished_at !== undefined && (
        <p class="soft">
          Finished <Minute time={Date.parse(finished_at)} />
        </p>
      )}
    </>
  );
}

interface WithdrawDialogProps {
  path: VersionPath;
  onClose: () => void;
  onDone: () => Promise<void>;
}

function WithdrawDialog({ path, onClose, onDone }: WithdrawDialogProps) {
  const [values, setValues] = useState({ reason: '' });
  const withdraw = async () => {
    const call = api.POST('/repositories/{account_id}/{repository_id}/versions/{version_name}/withdraw', {
      params: { path },
      body: { reason: values.reason.trim() },
    });
    await dataOf(call);
    notify(`The version ${path.version_name} is withdrawn.`);
    onClose();
    await onDone();
  };
  return (
    <Dialog title={`Withdraw the version ${path.version_name}?`} onClose={onClose}>
      <ul class="stops">
        <li>Nobody can read its files any more, and nobody can undo this.</li>
        <li>Its page remains, with the reason and the date, so that citations still lead somewhere.</li>
        <li>The files stay in the storage, and cost money until a lifecycle rule removes them.</li>
      </ul>
      <Form
        onSubmit={withdraw}
        submitLabel="Withdraw"
        onCancel={onClose}
        isDanger
        isDisabled={values.reason.trim() === ''}
        values={values}
        onChange={setValues}
        fields={[
          {
            name: 'reason',
            label: 'Reason',
            kind: 'long',
            isRequired: true,
            maxLength: 1000,
            hint: 'Everybody who may read the repository sees it.',
          },
        ]}
      />
    </Dialog>
  );
}
