//! A node of hardy-tcpclv4: prints each bundle that it receives in hex, and sends those of its input.
//! Arguments: the port to listen at, and the address of a peer, or -.
use hardy_bpa::{async_trait, cla, Bytes};
use std::io::BufRead;
use std::sync::Arc;

struct Printer;

#[async_trait]
impl cla::Sink for Printer {
    async fn unregister(&self) {}
    async fn dispatch(
        &self,
        bundle: Bytes,
        _node: Option<&hardy_bpv7::eid::NodeId>,
        _addr: Option<&cla::ClaAddress>,
    ) -> cla::Result<()> {
        let hex: String = bundle.iter().map(|b| format!("{b:02x}")).collect();
        println!("received {hex}");
        Ok(())
    }
    async fn add_peer(
        &self,
        _addr: cla::ClaAddress,
        nodes: &[hardy_bpv7::eid::NodeId],
    ) -> cla::Result<bool> {
        println!("peer {}", nodes.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(","));
        Ok(true)
    }
    async fn remove_peer(&self, _addr: &cla::ClaAddress) -> cla::Result<bool> {
        Ok(true)
    }
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let port = args.next().unwrap();
    let peer = args.next().unwrap();
    let config = hardy_tcpclv4::config::Config {
        address: Some(format!("127.0.0.1:{port}").parse().unwrap()),
        segment_mru: 4096,
        ..Default::default()
    };
    let node = Arc::new(hardy_tcpclv4::Cla::new(&config).unwrap());
    let id: hardy_bpv7::eid::NodeId = "ipn:77.0".parse::<hardy_bpv7::eid::NodeId>().unwrap();
    cla::Cla::on_register(node.as_ref(), Box::new(Printer), &[id]).await;
    println!("ready");
    let (tx, mut rx) = tokio::sync::mpsc::channel::<Vec<u8>>(4);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let line = line.unwrap();
            let bytes = (0..line.len() / 2)
                .map(|i| u8::from_str_radix(&line[2 * i..2 * i + 2], 16).unwrap())
                .collect();
            tx.blocking_send(bytes).unwrap();
        }
    });
    while let Some(bytes) = rx.recv().await {
        let addr = cla::ClaAddress::Tcp(peer.parse().unwrap());
        let sent = cla::Cla::forward(node.as_ref(), None, &addr, bytes.into()).await;
        println!("sent {}", matches!(sent, Ok(cla::ForwardBundleResult::Sent)));
    }
}
