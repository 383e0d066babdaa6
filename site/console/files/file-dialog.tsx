import { useEffect, useRef, useState } from 'preact/hooks';
import { formatBytes, shownName } from '../../../lib/pages/site/format.ts';
import { hexOf } from '../../data/crc32.ts';
import type { ObjectMetadata } from '../../data/objects.ts';
import type { SharedLink } from '../../data/shared-links.ts';
import { Dialog } from '../components/dialogs.tsx';
import { useOneAtATime } from '../components/once.ts';
import { localMinute, Minute } from '../components/time.tsx';
import { BusyNotice } from './busy-notice.tsx';
import { messageOf } from './message-of.ts';
import { texts } from './texts.ts';
import type { Waits } from './waits.ts';

interface FileProps {
  name: string;
  /** The permanent URL of a file that is open data. */
  openUrl: string | undefined;
  publicPage: string | undefined;
  mayWrite: boolean;
  waits: Waits;
  find: (signal: AbortSignal) => Promise<ObjectMetadata | undefined>;
  /** Creates a temporary link to the file. Anyone with the link may read the file without sign-in. */
  share: (seconds: number, isDownload?: boolean) => Promise<SharedLink>;
  onMove: () => void;
  onDelete: () => void;
  onClose: () => void;
}

const minutesOffered = [60, 30, 10] as const;

/** Shows one file's metadata and its actions. */
export function FileDialog(props: FileProps) {
  const { name, openUrl, publicPage, mayWrite, waits, find, share, onMove, onDelete, onClose } = props;
  const [facts, setFacts] = useState<ObjectMetadata>();
  const [problem, setProblem] = useState<string>();
  const [minutes, setMinutes] = useState<number>(minutesOffered[0]);
  const [link, setLink] = useState<SharedLink>();
  const oneAtATime = useOneAtATime();
  const made = useRef<HTMLDivElement>(null);
  // On a phone the new link would appear below the screen edge, as if the button had done nothing.
  useEffect(() => made.current?.scrollIntoView({ block: 'nearest' }), [link]);
  useEffect(() => {
    const controller = new AbortController();
    find(controller.signal)
      .then((found) =>
        found === undefined ? setProblem(`${shownName(name)} is not there any more.`) : setFacts(found),
      )
      .catch((error: unknown) => !controller.signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, [name]);
  const fail = (error: unknown) => setProblem(messageOf(error));
  const makeLink = (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    void oneAtATime(() => share(minutes * 60).then(setLink, fail));
  };
  const download = () => {
    // The link is short-lived, because it is used at once. A tab of its own lets uploads in this tab continue.
    void oneAtATime(() => share(300, true).then(({ url }) => globalThis.open(url, '_blank', 'noopener'), fail));
  };
  return (
    <Dialog title={shownName(name.split('/').at(-1) ?? '')} onClose={onClose}>
      {problem !== undefined && (
        <p class="notice" role="alert">
          {problem}
        </p>
      )}
      <BusyNotice waits={waits} />
      {(name.includes('/') || name.length > 60) && <p class="soft path">{shownName(name)}</p>}
      {facts !== undefined && (
        <dl class="facts inline">
          <dt>{texts.size}</dt>
          <dd>{formatBytes(facts.bytes)}</dd>
          <dt>{texts.modified}</dt>
          <dd>
            <Minute time={facts.modifiedAt} />
          </dd>
          <dt>{texts.type}</dt>
          <dd>{facts.header('content-type')}</dd>
          {facts.crc32 !== undefined && (
            <>
              <dt>{texts.checksum}</dt>
              <dd>
                <code>{hexOf(facts.crc32)}</code>
              </dd>
            </>
          )}
        </dl>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={download}>
          {texts.download}
        </button>
        {publicPage !== undefined && (
          <a class="button second" href={publicPage}>
            {texts.publicPage}
          </a>
        )}
        {mayWrite && (
          <button type="button" class="button second" onClick={onMove}>
            {texts.move}
          </button>
        )}
        {mayWrite && (
          <button type="button" class="button second" onClick={onDelete}>
            {texts.delete}
          </button>
        )}
      </div>
      {openUrl !== undefined && (
        <>
          <p class="soft">{texts.openData}</p>
          <CopyField label={texts.copyLink} value={openUrl} />
        </>
      )}
      {openUrl === undefined && (
        <form onSubmit={makeLink}>
          <h3>{texts.share}</h3>
          <p class="soft">{texts.shareHint}</p>
          <div class="actions">
            <label class="inline">
              {texts.shareMinutes}
              <select
                value={String(minutes)}
                onChange={(event) => setMinutes(Number((event.target as HTMLSelectElement).value))}
              >
                {minutesOffered.map((count) => (
                  <option key={count} value={String(count)}>
                    {texts.minutes(count)}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit" class="button second">
              {texts.makeLink}
            </button>
          </div>
        </form>
      )}
      {link !== undefined && (
        <div ref={made}>
          <CopyField label={texts.copyLink} value={link.url} />
          <p role="status">{texts.linkEnds(localMinute(link.endsAt))}</p>
        </div>
      )}
      <div class="actions">
        <button type="button" class="button second" onClick={onClose}>
          {texts.close}
        </button>
      </div>
    </Dialog>
  );
}

/** Shows a value with a copy button. Without clipboard access the user can select the value. */
function CopyField({ label, value }: { label: string; value: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = () => {
    field.current?.select();
    const copied = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => setSaid(texts.copied),
      () => setSaid(texts.notCopied),
    );
  };
  return (
    <div class="copy">
      <input ref={field} type="text" readonly aria-label={label} value={value} />
      <button type="button" class="button second" onClick={copy}>
        {label}
      </button>
      <span role="status" class="soft">
        {said}
      </span>
    </div>
  );
}
