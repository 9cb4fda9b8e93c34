"""The engine's networks in torch, with SpikingJelly's neurons."""

from .closed_form_continuous import ClosedFormContinuous
from .dvs_convnet import DvsConvnet
from .dynamic_hypernetwork import DynamicHypernetwork
from .hybrid_cnn import HybridCnn
from .hybrid_gnn import HybridGnn
from .hybrid_kan import HybridKan
from .hybrid_rnn import HybridRnn
from .hybrid_ssm import HybridSsm
from .hybrid_vit import HybridVit
from .layers import Threshold, load
from .modern_hopfield import ModernHopfield
from .neuro_symbolic_ltn import NeuroSymbolicLtn
from .pattern_ann_snn import PatternAnnSnn
from .pattern_snn_ann import PatternSnnAnn
from .pattern_spiking_transformer import PatternSpikingTransformer
from .physics_informed_pinn import PhysicsInformedPinn
from .se3_equivariant_gnn import Se3EquivariantGnn
from .spatio_temporal_gnn import SpatioTemporalGnn
from .spiking_diffusion import SpikingDiffusion
from .spiking_resnet50 import SpikingResnet50

NETWORKS = (
    SpikingResnet50,
    HybridCnn,
    DvsConvnet,
    HybridRnn,
    HybridVit,
    HybridGnn,
    HybridKan,
    HybridSsm,
    SpikingDiffusion,
    PhysicsInformedPinn,
    SpatioTemporalGnn,
    ModernHopfield,
    DynamicHypernetwork,
    ClosedFormContinuous,
    Se3EquivariantGnn,
    NeuroSymbolicLtn,
    PatternSnnAnn,
    PatternAnnSnn,
    PatternSpikingTransformer,
)

__all__ = ["NETWORKS", "Threshold", "load"]
