/** How often what visitors get of a site was changed, and which deployment is live. */
export type SiteState = { version: number; active: string | undefined };

/** What other servers do to the sites, as far as this one can know it. */
export type SiteFeed = {
  /** The state of these sites now; one that does not exist is absent. */
  readStates: (names: readonly string[]) => Promise<Map<string, SiteState>>;
  /** `onMessage` names a site that has changed; `onGap` says that messages may have been missed. */
  listen: (subscription: {
    onMessage: (site: string) => void;
    onGap: () => void;
  }) => Promise<{ stop: () => Promise<void> }>;
};
