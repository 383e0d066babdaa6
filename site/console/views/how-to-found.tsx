/** Explains how to get the right to create organizations. */
export function HowToFound({ accountId }: { accountId: string | undefined }) {
  return (
    <>
      To make an organization, ask an administrator of this site to allow it to your account, <code>{accountId}</code>.
    </>
  );
}
