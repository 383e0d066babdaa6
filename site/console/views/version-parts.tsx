import { useEffect, useState } from 'preact/hooks';
import { counted, formatBytes } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Lines } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';

type Version = Schemas['Version'];
type VersionView = Schemas['VersionView'];
type Progress = Schemas['FreezeProgress'];

/** The path parameters of a version's operations. */
export interface VersionPath {
  account_id: string;
  repository_id: string;
  version_name: string;
}

const readEveryMs = 5000;

/** Shows the state of a version whose freeze has ended. */
export function VersionState({ version }: { version: Version }) {
  const { state, created_at, frozen_at, keys = 0, bytes = 0, failure, withdrawal } = version;
  const created = <Minute time={Date.parse(frozen_at ?? created_at)} />;
  if (state === 'failed') return <Lines of={[<span class="badge over">failed</span>, failure?.message, created]} />;
  const size = `${counted(keys, 'file')}, ${formatBytes(bytes)}`;
  if (state === 'ready') return <Lines of={[<span class="badge live">ready</span>, size, created]} />;
  const at = <Minute time={Date.parse(withdrawal?.withdrawn_at ?? '')} />;
  return <Lines of={[<span class="badge over">withdrawn</span>, withdrawal?.reason, at]} />;
}

/**
 * Reads a version every few seconds while the view is open and `isWaiting` returns true for it. Then calls `onEnd`.
 * Returns the last version that was read.
 */
export function useVersion(
  path: VersionPath,
  isWaiting: (version: VersionView) => boolean,
  onEnd: () => Promise<void>,
): VersionView | undefined {
  const [shown, show] = useState<VersionView>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const read = async () => {
      const call = api.GET('/repositories/{account_id}/{repository_id}/versions/{version_name}', { params: { path } });
      // A failed request does not change the interval between requests.
      const version = await dataOf(call).catch(() => undefined);
      if (isGone) return;
      if (version !== undefined && !isWaiting(version)) return onEnd();
      if (version !== undefined) show(version);
      timer = setTimeout(read, readEveryMs);
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [path.account_id, path.repository_id, path.version_name]);
  return shown;
}

/** Shows the progress of a freeze, and calls `onEnd` at its end. */
export function Freezing({ path, onEnd }: { path: VersionPath; onEnd: () => Promise<void> }) {
  const version = useVersion(path, ({ state }) => state === 'freezing', onEnd);
  return (
    <div role="status">
      <Lines of={[<span class="badge">in progress</span>, ...describeProgress(version?.progress)]} />
    </div>
  );
}

function describeProgress(progress: Progress | undefined): string[] {
  if (progress === undefined || progress.stored_versions === 0) return ['waiting for the storage'];
  const { keys, bytes, seconds_left } = progress;
  const found = `${counted(keys, 'file')}, ${formatBytes(bytes)} so far`;
  return seconds_left === undefined ? [found] : [found, describeTimeLeft(seconds_left)];
}

function describeTimeLeft(seconds: number): string {
  if (seconds < 60) return 'less than a minute left';
  return `about ${counted(Math.round(seconds / 60), 'minute')} left`;
}
