import { consolePath } from './console-configuration.ts';

/**
 * Links to an account or a repository in the console. All readers get the page with the link hidden. The page script
 * shows it to users who may change the account or the repository.
 *
 * @param path the path of the account or the repository, in the console and in the API
 */
export function ManageLink({ path }: { path: string }) {
  return (
    <a class="button second manage" href={consolePath + path} data-manage={path} hidden>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 7h9M17 7h4M3 17h4M12 17h9M14.5 4.5v5M9.5 14.5v5" />
      </svg>
      <span>Manage</span>
    </a>
  );
}
