import { useState } from 'preact/hooks';
import { shownName } from '../../../lib/pages/site/format.ts';
import type { RepositoryPath } from '../../data/keys.ts';
import { Dialog } from '../components/dialogs.tsx';
import { LinkForm, NewLinkDialog } from '../components/link-form.tsx';
import { hrefOf } from '../router.ts';

interface ShareDialogProps {
  location: RepositoryPath;
  /** The folder or file to share. Empty for all files. */
  prefix: string;
  onClose: () => void;
}

/** Creates a link to a folder or file, and shows the link's URL once. */
export function ShareDialog({ location, prefix, onClose }: ShareDialogProps) {
  const [url, setUrl] = useState<string>();
  if (url !== undefined) return <NewLinkDialog url={url} onClose={onClose} />;
  const what =
    prefix === ''
      ? 'all files of this repository'
      : `the ${prefix.endsWith('/') ? 'folder' : 'file'} ${shownName(prefix)}`;
  return (
    <Dialog title="Share a link" onClose={onClose}>
      <p>
        Anyone with the link can read {what}, and nothing else. Readers need no account. The link ends when it expires,
        when you revoke it under{' '}
        <a href={hrefOf(`/repositories/${location.account_id}/${location.repository_id}/people`)}>People</a>, or when
        you are no longer a maintainer.
      </p>
      <LinkForm location={location} prefix={prefix} onCancel={onClose} onCreated={setUrl} />
    </Dialog>
  );
}
