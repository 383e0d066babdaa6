interface Made {
  created_by: string | null;
  created_by_name: string | null;
  created_by_is_member: boolean | null;
}

/** Shows the creator of a key and whether they are still a member. */
export function Creator({ created_by, created_by_name, created_by_is_member }: Made) {
  if (created_by === null) return <span class="soft">not known</span>;
  return (
    <>
      {created_by_name || created_by}
      <br />
      <span class="soft">{created_by}</span>
      {created_by_is_member === false && (
        <>
          <br />
          <span class="badge over">no longer a member</span>
        </>
      )}
    </>
  );
}
