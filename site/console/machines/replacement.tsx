import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { lastUse } from './key-parts.tsx';
import { type ClientProps, NewKeyForm } from './new-key.tsx';

type Key = Schemas['ServiceAccountKey'];

interface ReplacementProps extends ClientProps {
  old: Key;
  keys: readonly Key[];
  reload: () => Promise<void>;
  onRevoke: () => void;
  onClose: () => void;
}

/**
 * Guides the user through the replacement of a key without downtime. The user creates a new key, switches the software
 * to it, and revokes the old key.
 */
export function Replacement({ old, keys, reload, onRevoke, onClose, ...client }: ReplacementProps) {
  const [nextId, setNextId] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  // Focus the heading of this guide, which appears above the row whose button opened it. Users of a screen reader then
  // find it.
  useEffect(() => heading.current?.focus(), []);
  const next = keys.find(({ key_id }) => key_id === nextId);
  const created = async (key?: { key_id: string }) => {
    if (key !== undefined) setNextId(key.key_id);
    await reload();
  };
  return (
    <div class="card">
      <h4 tabindex={-1} ref={heading}>
        Replace “{old.label}” without downtime
      </h4>
      <ol class="replace">
        <li>
          <h4>Create the new key</h4>
          {nextId === undefined ? (
            <NewKeyForm {...client} label={old.label} onDone={created} />
          ) : (
            <p>The new key is created. Both keys work now.</p>
          )}
        </li>
        <li>
          <h4>Switch the software</h4>
          <SwitchSoftware {...{ old, next, reload }} settings={client.settings} />
        </li>
        <li>
          <h4>Revoke the old key</h4>
          {old.state === 'revoked' ? (
            <p>The old key is revoked. You are done.</p>
          ) : (
            <RevokeOld next={next} onRevoke={onRevoke} />
          )}
        </li>
      </ol>
      <p>
        <Button kind="plain" label={old.state === 'revoked' ? 'Close' : 'Continue later'} onClick={onClose} />
      </p>
    </div>
  );
}

interface SwitchProps extends Pick<ReplacementProps, 'old' | 'reload' | 'settings'> {
  next: Key | undefined;
}

/** Tells the user where the old key is, and which of the two keys is in use. */
function SwitchSoftware({ old, next, settings, reload }: SwitchProps) {
  const loaded = settings.state.value;
  const file = loaded.kind === 'ready' && loaded.value.environment.AWS_WEB_IDENTITY_TOKEN_FILE;
  return (
    <>
      <p>
        Replace the old key in its file
        {file && (
          <>
            , such as <code>{file}</code>
          </>
        )}
        . Clients read the file again within one hour. Restart software that reads it only once.
      </p>
      {next !== undefined && (
        <p>
          {`The new key was last used: ${lastUse(next)}. The old key: ${lastUse(old)}.`}{' '}
          <Button kind="small" label="Refresh" onClick={() => void reload()} />
        </p>
      )}
    </>
  );
}

function RevokeOld({ next, onRevoke }: Pick<SwitchProps, 'next'> & Pick<ReplacementProps, 'onRevoke'>) {
  return (
    <>
      <p>
        {next === undefined
          ? 'Do this when the new key is in use.'
          : next.last_used_at === null
            ? 'Wait until the new key was used. Software that still has the old key would stop.'
            : 'The new key is in use. You can revoke the old key.'}
      </p>
      <p>
        <Button kind="small" label="Revoke the old key …" disabled={next === undefined} onClick={onRevoke} />
      </p>
    </>
  );
}
