import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../api/client.ts';
import type { Loading } from '../components/loaded.tsx';
import type { Settings } from './client-settings.tsx';
import { lastUse } from './key-texts.ts';
import { NewKeyForm } from './new-key.tsx';

type Key = Schemas['ServiceAccountKey'];

interface ReplacingProps {
  old: Key;
  keys: readonly Key[];
  id: string;
  settings: Loading<Settings>;
  s3Uri: string;
  /** Reloads the keys. */
  onLook: () => Promise<void>;
  onEnd: () => void;
  onClose: () => void;
}

/** Replaces a key without downtime: create the new key, switch the software, then revoke the old key. */
export function Replacing({ old, keys, id, settings, s3Uri, onLook, onEnd, onClose }: ReplacingProps) {
  const [nextId, setNextId] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  // The guide appears above the row with its button, so it needs the focus.
  useEffect(() => heading.current?.focus(), []);
  const next = keys.find(({ key_id }) => key_id === nextId);
  const file =
    settings.state.value.kind === 'ready' ? settings.state.value.value.environment.AWS_WEB_IDENTITY_TOKEN_FILE : '';
  const isEnded = old.state === 'revoked';
  const made = async (key?: { key_id: string }) => {
    if (key !== undefined) setNextId(key.key_id);
    await onLook();
  };
  return (
    <div class="card">
      <h4 tabindex={-1} ref={heading}>
        Replace “{old.label}” without a gap
      </h4>
      <ol class="replace">
        <li>
          <h4>Make the second key</h4>
          {nextId === undefined ? (
            <NewKeyForm id={id} settings={settings} s3Uri={s3Uri} label={old.label} onDone={made} />
          ) : (
            <p>It is made. Both work now.</p>
          )}
        </li>
        <li>
          <h4>Move over</h4>
          <p>
            Put it into the file of the first
            {file && (
              <>
                , such as <code>{file}</code>
              </>
            )}
            . Clients read the file each time they renew, so within an hour. Software that read it only once has to
            start anew.
          </p>
          {next !== undefined && (
            <p>
              {`The second was last used: ${lastUse(next)}. The first: ${lastUse(old)}.`}{' '}
              <button type="button" class="small" onClick={() => void onLook()}>
                Look again
              </button>
            </p>
          )}
        </li>
        <li>
          <h4>End the first</h4>
          {isEnded ? (
            <p>It is ended. You are done.</p>
          ) : (
            <>
              <p>
                {next === undefined
                  ? 'When the second is in use.'
                  : next.last_used_at === null
                    ? 'Wait until the second was used: what still has the first would stop.'
                    : 'The second is in use: the first can go.'}
              </p>
              <p>
                <button type="button" class="small" disabled={next === undefined} onClick={onEnd}>
                  End the first …
                </button>
              </p>
            </>
          )}
        </li>
      </ol>
      <p>
        <button type="button" class="plain" onClick={onClose}>
          {isEnded ? 'Close' : 'Leave it for now'}
        </button>
      </p>
    </div>
  );
}
