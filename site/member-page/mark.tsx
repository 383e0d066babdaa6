import type { ShownRepository } from '../../lib/pages/site/repository-tile.tsx';

const readers: Readonly<Record<ShownRepository['data_mode'], string>> = {
  private: 'Private: only members can read it',
  subscription: 'Restricted: only invited readers can read it',
  open: 'Open: everybody can read it',
};

/** Says above each page of a repository who can read it. */
export function Mark({
  dataMode,
  manageUrl,
}: {
  dataMode: ShownRepository['data_mode'];
  manageUrl: string | undefined;
}) {
  return (
    <p class="access">
      <span>
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9" />
        </svg>
        {readers[dataMode]}
      </span>
      {manageUrl !== undefined && <a href={manageUrl}>Manage</a>}
    </p>
  );
}
