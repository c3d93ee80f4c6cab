import { BlockList, isIP, isIPv6 } from "node:net";

/** What is not the public internet: this machine, its networks, its cloud's metadata, and what no host has. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96], // unspecified, loopback, and IPv4 in its oldest clothes
  ["100::", 64],
  ["2001::", 23], // Teredo and other tunnels: the address that is reached is another one
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4: carries an IPv4 address
  ["64:ff9b::", 96], // NAT64: carries an IPv4 address
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 9], // link-local and site-local
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** An IPv4 address that came as `::ffff:10.0.0.1` (or in hex) is that IPv4 address; every other one is itself. */
export const plainAddress = (address: string): string => {
  if (!isIPv6(address)) return address;
  const short = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const bits = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return bits.flatMap((group) => [group >> 8, group & 255]).join(".");
};

/** Whether an address is none of the public internet. */
export const isPrivateAddress = (address: string): boolean =>
  isIP(address) === 0 || PRIVATE.check(address, familyOf(address));
