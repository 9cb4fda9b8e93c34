//! Bundles of 1,024 bytes of payload with CRC-32C that the crate bp7 encodes and parses a second.
use bp7::{bundle, canonical, crc, flags::BlockControlFlags, primary, Bundle, EndpointID};
use std::time::{Duration, Instant};

const BUNDLES: u32 = 200_000;

fn main() {
    let created = bp7::CreationTimestamp::with_time_and_seq(817_000_000_000, 3);
    let primary = primary::PrimaryBlockBuilder::default()
        .destination(EndpointID::with_dtn("moon/in").unwrap())
        .source(EndpointID::with_dtn("earth/out").unwrap())
        .report_to(EndpointID::none())
        .creation_timestamp(created)
        .lifetime(Duration::from_secs(86_400))
        .build()
        .unwrap();
    let payload = canonical::new_payload_block(BlockControlFlags::empty(), vec![0; 1024]);
    let mut made = bundle::BundleBuilder::default()
        .primary(primary)
        .canonicals(vec![payload])
        .build()
        .unwrap();
    made.set_crc(crc::CRC_32);
    let wire = made.to_cbor();
    let started = Instant::now();
    for _ in 0..BUNDLES {
        std::hint::black_box(made.to_cbor());
    }
    let encoded = started.elapsed().as_secs_f64();
    let started = Instant::now();
    for _ in 0..BUNDLES {
        let parsed: Bundle = wire.clone().try_into().unwrap();
        std::hint::black_box(parsed.validate().is_ok() && { let mut p = parsed; p.crc_valid() });
    }
    let parsed = started.elapsed().as_secs_f64();
    let rate = |seconds: f64| (f64::from(BUNDLES) / seconds).round();
    println!("{{\"bytes\":{},\"encoded\":{},\"parsed\":{}}}", wire.len(), rate(encoded), rate(parsed));
}
