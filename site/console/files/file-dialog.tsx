import { useEffect, useRef, useState } from 'preact/hooks';
import { formatBytes, shownName } from '../../../lib/pages/site/format.ts';
import { hexOf } from '../../data/crc32.ts';
import type { ObjectMetadata } from '../../data/objects.ts';
import type { SharedLink } from '../../data/shared-links.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { useOneAtATime } from '../components/once.ts';
import { localMinute, Minute } from '../components/time.tsx';
import type { OpenRepository } from './open-repository.ts';
import { BusyNotice, messageOf, Refusal } from './parts.tsx';

interface FileProps {
  name: string;
  repository: OpenRepository;
  /** The URL without a signature, for a file that is open data. It does not expire. */
  openUrl: string | undefined;
  publicPage: string | undefined;
  mayWrite: boolean;
  /** Creates a link to the file that is valid for days. Undefined if the user may not create one. */
  onShare: (() => void) | undefined;
  onMove: () => void;
  onDelete: () => void;
  onClose: () => void;
}

/** Shows one file's metadata and its actions. */
export function FileDialog(props: FileProps) {
  const { name, repository, openUrl, publicPage, mayWrite, onShare, onMove, onDelete, onClose } = props;
  const [metadata, setMetadata] = useState<ObjectMetadata>();
  const [problem, setProblem] = useState<string>();
  const oneAtATime = useOneAtATime();
  useEffect(() => {
    const controller = new AbortController();
    repository.objects
      .find(name, controller.signal)
      .then((found) => (found ? setMetadata(found) : setProblem(`${shownName(name)} no longer exists.`)))
      .catch((error: unknown) => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, [name]);
  const share = (seconds: number, onLink: (link: SharedLink) => void, isDownload?: boolean) => {
    setProblem(undefined);
    const fail = (error: unknown) => setProblem(messageOf(error));
    void oneAtATime(() => repository.share(name, seconds, isDownload).then(onLink, fail));
  };
  // Create a link that expires soon, because the browser uses it at once. It opens in a new tab, so that uploads in
  // this tab continue.
  const download = () => share(300, ({ url }) => globalThis.open(url, '_blank', 'noopener'), true);
  return (
    <Dialog title={shownName(name.split('/').at(-1) ?? '')} onClose={onClose}>
      {problem !== undefined && <Refusal sentence={problem} />}
      <BusyNotice waits={repository.waits} />
      {(name.includes('/') || name.length > 60) && <p class="soft path">{shownName(name)}</p>}
      {metadata !== undefined && <Metadata {...metadata} />}
      <div class="actions">
        <Button kind="button" label="Download" onClick={download} />
        {publicPage !== undefined && (
          <a class="button second" href={publicPage}>
            Public page
          </a>
        )}
        {onShare !== undefined && <Button label="Share a link" onClick={onShare} />}
        {mayWrite && <Button label="Move or rename" onClick={onMove} />}
        {mayWrite && <Button label="Delete" onClick={onDelete} />}
      </div>
      {openUrl === undefined ? (
        <DownloadLinkForm share={share} isShortOnly={onShare === undefined} />
      ) : (
        <>
          <p class="soft">Anyone can read this file. Its URL stays valid while the file exists and is open.</p>
          <CopyField label="Copy link" value={openUrl} />
        </>
      )}
      <div class="actions">
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}

function Metadata({ bytes, modifiedAt, header, crc32 }: ObjectMetadata) {
  return (
    <dl class="properties inline">
      <dt>Size</dt>
      <dd>{formatBytes(bytes)}</dd>
      <dt>Modified</dt>
      <dd>
        <Minute time={modifiedAt} />
      </dd>
      <dt>Type</dt>
      <dd>{header('content-type')}</dd>
      {crc32 !== undefined && (
        <>
          <dt>CRC-32 (hex)</dt>
          <dd>
            <code>{hexOf(crc32)}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

const minutesOffered = [60, 30, 10] as const;

interface DownloadLinkFormProps {
  share: (seconds: number, onLink: (link: SharedLink) => void) => void;
  /** True when the user may not create links that are valid for days. */
  isShortOnly: boolean;
}

/** Creates a temporary link to the file. Anyone who has the link can read the file without signing in. */
function DownloadLinkForm({ share, isShortOnly }: DownloadLinkFormProps) {
  const [minutes, setMinutes] = useState<number>(minutesOffered[0]);
  const [link, setLink] = useState<SharedLink>();
  const shown = useRef<HTMLDivElement>(null);
  // On a phone, scroll to the new link. It appears below the visible part of the page, and the button would seem to do
  // nothing.
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [link]);
  const submit = (event: Event) => {
    event.preventDefault();
    share(minutes * 60, setLink);
  };
  return (
    <>
      <form onSubmit={submit}>
        <h3>Download link</h3>
        <p class="soft">
          Anyone with the link can download this file without signing in, also with a program. The link is valid for one
          hour at most. It ends earlier if you lose access.{' '}
          {isShortOnly ? 'For longer access, invite a reader to the repository.' : 'For longer access, share a link.'}{' '}
          Do not post the link in public.
        </p>
        <div class="actions">
          <label class="inline">
            Valid for
            <select value={String(minutes)} onChange={({ currentTarget }) => setMinutes(Number(currentTarget.value))}>
              {minutesOffered.map((count) => (
                <option key={count} value={String(count)}>
                  {count === 60 ? 'one hour' : `${count} minutes`}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="button second">
            Create link
          </button>
        </div>
      </form>
      {link !== undefined && (
        <div ref={shown}>
          <CopyField label="Copy link" value={link.url} />
          <p role="status">
            {`Valid until ${localMinute(link.endsAt)}. The link ends earlier if you lose access, or if the file is moved or deleted.`}
          </p>
        </div>
      )}
    </>
  );
}

/** Shows a text with a copy button. If the page may not write to the clipboard, the user can select the text. */
function CopyField({ label, value }: { label: string; value: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState('');
  const copy = () => {
    field.current?.select();
    const copied = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => setResult('Copied.'),
      () => setResult('The browser did not copy the link. Select it and copy it yourself.'),
    );
  };
  return (
    <div class="copy">
      <input ref={field} type="text" readonly aria-label={label} value={value} />
      <Button label={label} onClick={copy} />
      <span role="status" class="soft">
        {result}
      </span>
    </div>
  );
}
