import { getRequestInfo, isLoopback } from "../http/request-info.ts";

/** How the server can be reached, as far as its settings say. */
export type Locality = {
  /** bound to loopback, and no setting says that it is reached under another name */
  isLocalOnly: boolean;
};

export const localityOf = ({
  host,
  publicUrl,
  allowedHosts,
}: {
  host: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
}): Locality => ({
  isLocalOnly: isLoopback(host) && publicUrl === undefined && allowedHosts.length === 0,
});

const FORWARDING = /^(?:forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * Whether a request comes from this machine, and was meant for it: by a loopback peer, under a loopback name,
 * and not through a proxy. Behind a proxy every peer is loopback, so what a proxy adds makes a request a
 * stranger's, and so do the settings that a proxy needs.
 */
export const isLocalRequest = ({ isLocalOnly }: Locality, request: Request): boolean => {
  const { clientAddress, hostname } = getRequestInfo(request);
  return (
    isLocalOnly &&
    clientAddress !== undefined &&
    isLoopback(clientAddress) &&
    isLoopback(hostname.replace(/^\[|\]$/g, "")) &&
    ![...request.headers.keys()].some((name) => FORWARDING.test(name))
  );
};
